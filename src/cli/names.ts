import { listConnections } from '../api/owner/catalog.ts'
import { listClients } from '../api/owner/grants.ts'
import type { ReplyOf } from '../api/route.ts'
import { CodedError } from '../model/errors.ts'
import { someNames } from '../model/some-names.ts'
import type { OwnServer } from './own-server.ts'
import { EXIT_FAILURE, ExitError } from './terminal/exit-errors.ts'
import { oneLine } from './terminal/terminal.ts'

const ID = /^cin_[a-z2-9]+$/

/** How many names a refusal lists, the most similar first. */
const MOST_KNOWN = 12

export type Source = ReplyOf<typeof listConnections>['data'][number]
export type App = ReplyOf<typeof listClients>['data'][number]

/** The source with this id, or with a name that only one source has. */
export async function sourceNamed(server: OwnServer, named: string): Promise<Source> {
  const { data } = await server.call(listConnections, {})
  return sourceAmong(data, named)
}

export function sourceAmong(sources: readonly Source[], named: string): Source {
  const found = matching(sources, named, ({ connection_id, display_name }) => [connection_id, display_name])
  const [one, ...others] = found
  if (!one) {
    const names = someNames(
      sources.map(({ display_name }) => quoted(display_name)),
      MOST_KNOWN,
      named,
    )
    const known = names === '' ? 'There are none.' : `Known: ${names}.`
    throw new CodedError('connection_not_found', `No source has the id or name ${named}. ${known}`)
  }
  if (others.length === 0) return one
  const available_connections = found.map(({ connection_id, display_name }) => ({
    connection_id,
    display_name,
  }))
  const message = `${found.length} sources are named ${named}.`
  throw new CodedError('ambiguous_connection', message, { available_connections, by: 'name' })
}

/** The ids of sources that are named by id or by name. */
export async function sourceIds(server: OwnServer, named: readonly string[]): Promise<string[]> {
  if (named.every(each => ID.test(each))) return [...named]
  const { data } = await server.call(listConnections, {})
  return named.map(each => (ID.test(each) ? each : sourceAmong(data, each).connection_id))
}

/** The id of a source that is named by id or by name, if one is. */
export async function sourceId(server: OwnServer, named: string | undefined): Promise<string | undefined> {
  return named === undefined ? undefined : (await sourceIds(server, [named]))[0]
}

/** The app with this id, or with a name that only one app has; of several, the one that can read something now. */
export async function appNamed(server: OwnServer, named: string): Promise<App> {
  const { data } = await server.call(listClients, {})
  const reading = data.filter(({ connection_ids }) => connection_ids.length > 0)
  return appAmong(matchingApps(reading, named).length > 0 ? reading : data, named)
}

export function appAmong(apps: readonly App[], named: string): App {
  const [one, ...others] = matchingApps(apps, named)
  if (one && others.length === 0) return one
  if (!one) {
    const names = apps.map(({ name }) => quoted(oneLine(name))).join(', ')
    const hint = names === '' ? 'footnote connect CLIENT' : `one of: ${names}`
    throw new ExitError(`No app has the id or name ${named}.`, hint, EXIT_FAILURE)
  }
  const ids = [one, ...others].map(({ client_id }) => client_id).join(', ')
  throw new ExitError(
    `${others.length + 1} apps are named ${named}.`,
    `name one by its id: ${ids}`,
    EXIT_FAILURE,
  )
}

function matchingApps(apps: readonly App[], named: string): App[] {
  return matching(apps, named, ({ client_id, name }) => [client_id, name])
}

/** Those with this id, or else with exactly this name, or else with a name that differs only in case. */
function matching<T>(all: readonly T[], named: string, idAndName: (each: T) => [string, string]): T[] {
  const folded = (text: string) => text.trim().toLocaleLowerCase()
  const tests: ((id: string, name: string) => boolean)[] = [
    id => id === named,
    (_, name) => name === named,
    (_, name) => folded(name) === folded(named),
  ]
  for (const test of tests) {
    const found = all.filter(each => test(...idAndName(each)))
    if (found.length > 0) return found
  }
  return []
}

/** A name as it can be typed in a shell. */
export function quoted(name: string): string {
  if (/^[\w.@+-]+$/.test(name)) return name
  return /["$`\\!]/.test(name) ? `'${name.replaceAll("'", "'\\''")}'` : `"${name}"`
}
