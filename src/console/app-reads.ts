import { listClients } from '../api/owner-grants.ts'
import { listDisclosures } from '../api/owner-ledger.ts'
import type { ReplyOf } from '../api/route.ts'
import type { Visit } from './visit.ts'

export type Disclosure = ReplyOf<typeof listDisclosures>['data'][number]

/** What one app was shown over some requests. */
export interface AppReads {
  client_id: string
  requests: number
  records: number
  /** Characters of long texts that were shown as passages. */
  chars: number
  connection_ids: string[]
  streams: string[]
  /** When it last read. */
  last: string
}

export async function clientNames(visit: Visit): Promise<Map<string, string>> {
  const { data } = await visit.call(listClients, {})
  return new Map(data.map(({ client_id, name }) => [client_id, name]))
}

/** The disclosures of each app together, the app that read last first. */
export function readsByApp(disclosures: readonly Disclosure[]): AppReads[] {
  return [...Map.groupBy(disclosures, ({ client_id }) => client_id)].map(([client_id, own]) => ({
    client_id,
    ...summed(own),
  }))
}

export function summed(disclosures: readonly Disclosure[]): Omit<AppReads, 'client_id'> {
  const shown = disclosures.flatMap(disclosure => disclosure.shown)
  const records = new Set(
    shown.flatMap(({ connection_id, stream, record_ids }) =>
      record_ids.map(id => JSON.stringify([connection_id, stream, id])),
    ),
  )
  const ranges = shown.flatMap(({ ranges = {} }) => Object.values(ranges).flat())
  return {
    requests: disclosures.length,
    records: records.size,
    chars: ranges.reduce((sum, [from, to]) => sum + to - from, 0),
    connection_ids: [...new Set(shown.map(({ connection_id }) => connection_id))],
    streams: [...new Set(shown.map(({ stream }) => stream))],
    last: disclosures.reduce((last, { at }) => (at > last ? at : last), ''),
  }
}

/** The newest disclosures, at most one page of them. */
export async function recentDisclosures(
  visit: Visit,
  client_id?: string,
  limit = 100,
): Promise<Disclosure[]> {
  const { data } = await visit.call(listDisclosures, {}, { query: { limit, client_id } })
  return data
}
