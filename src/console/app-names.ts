import { listClients } from '../api/owner/grants.ts'
import type { ReplyOf } from '../api/route.ts'
import type { Times } from '../pages/times.ts'
import type { Visit } from './visit.ts'

export type App = ReplyOf<typeof listClients>['data'][number]

/** The apps that have or had access. Those with the same name are called by what distinguishes them as well. */
export async function readClients(visit: Visit): Promise<App[]> {
  const { data } = await visit.call(listClients, {})
  return [...Map.groupBy(data, ({ name }) => name).values()]
    .flatMap(namesakes => distinct(namesakes, visit.times))
    .sort((a, b) => data.indexOf(a.app) - data.indexOf(b.app))
    .map(({ app, name }) => ({ ...app, name }))
}

export async function clientNames(visit: Visit): Promise<Map<string, string>> {
  return new Map((await readClients(visit)).map(({ client_id, name }) => [client_id, name]))
}

/** Where its answers go: the host or the program that was shown at consent. */
export function answersText({ answers_to }: App): string {
  return answers_to === null ? 'It reads with a token that you made.' : `Its answers go to ${answers_to}.`
}

export function lastUsedText(last: string | undefined, times: Times): string {
  return last ? `Last used ${times.ago(last)}.` : 'It has read nothing yet.'
}

/** The first way of naming them in which no two have the same name. */
function distinct(namesakes: readonly App[], times: Times): { app: App; name: string }[] {
  const ways: readonly ((app: App) => string)[] = [
    ({ name }) => name,
    app => `${app.name} (${place(app)})`,
    app => `${app.name} (${place(app)}, since ${times.minute(app.created_at)})`,
    app => `${app.name} (${app.client_id})`,
  ]
  const named = ways.map(way => namesakes.map(app => ({ app, name: way(app) })))
  const isDistinct = (each: readonly { name: string }[]) =>
    new Set(each.map(({ name }) => name)).size === each.length
  return named.find(isDistinct) ?? named.at(-1) ?? []
}

function place({ answers_to }: App): string {
  return answers_to === null ? 'your token' : answers_to.replace(' (', ', ').replace(/\)$/, '')
}
