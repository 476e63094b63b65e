import { listDisclosures } from '../../api/owner/ledger.ts'
import type { ReplyOf } from '../../api/route.ts'
import { passagesOf } from '../../model/access/shown.ts'
import type { Visit } from '../visit.ts'

export type Disclosure = ReplyOf<typeof listDisclosures>['data'][number]

/** What one app was shown over some requests. */
export interface AppReads {
  client_id: string
  /** How often it asked; a call of a tool can take several requests. */
  calls: number
  records: number
  /** Parts of texts that were shown, and their total number of characters. */
  passages: number
  chars: number
  connection_ids: string[]
  streams: string[]
  /** When it last read. */
  last: string
}

/** The disclosures grouped by app, the app that read last first. */
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
  const passages = shown.flatMap(passagesOf)
  return {
    calls: new Set(disclosures.map(({ request_id }) => request_id)).size,
    records: records.size,
    passages: passages.length,
    chars: passages.reduce((sum, { start, end }) => sum + end - start, 0),
    connection_ids: [...new Set(shown.map(({ connection_id }) => connection_id))],
    streams: [...new Set(shown.map(({ stream }) => stream))],
    last: disclosures.reduce((last, { at }) => (at > last ? at : last), ''),
  }
}

interface Wanted {
  client_id?: string
  since?: string
  until?: string
  cursor?: string | undefined
  most: number
}

const PAGE = 100

/** The newest disclosures of all apps or of one, and where older ones begin. */
export async function disclosuresOf(
  visit: Visit,
  { most, cursor, ...wanted }: Wanted,
): Promise<{ disclosures: Disclosure[]; next: string | undefined }> {
  const disclosures: Disclosure[] = []
  let next = cursor
  do {
    const query = { ...wanted, limit: Math.min(PAGE, most), cursor: next, queries: 'show' }
    const page = await visit.call(listDisclosures, {}, { query })
    disclosures.push(...page.data)
    next = page.next_cursor
  } while (next !== undefined && disclosures.length < most)
  return { disclosures, next }
}

/** The newest disclosures, at most one page of them. */
export async function recentDisclosures(
  visit: Visit,
  client_id?: string,
  most = PAGE,
): Promise<Disclosure[]> {
  return (await disclosuresOf(visit, { most, ...(client_id === undefined ? {} : { client_id }) })).disclosures
}
