import type { Shown } from '../../model/access/shown.ts'
import type { Database } from '../engine/database.ts'
import { columnsOf, type Row } from '../engine/table.ts'
import { DISCLOSURES } from './tables.ts'

export interface Disclosure {
  at: string
  request_id: string
  client_id: string
  grant_ids: string[]
  /** The method of the request and the path of its route. */
  route: string
  /** The HTTP status of the answer. */
  status: number
  shown: Shown[]
  /** The fields that decided the answer, by stream; with records, where the answer was about these. */
  decided: Shown[]
  /** What was asked: the path and query of the address. Only where the caller wants it. */
  query?: string | null
}

/** What was shown and what decided is JSON here. */
export type NewDisclosure = Omit<Disclosure, 'shown' | 'decided' | 'query'> &
  Record<'shown' | 'decided' | 'query', string>

export interface DisclosureQuery {
  owner_id: string
  client_id: string | null
  since: string | null
  until: string | null
  /** Continues after this disclosure; the newest come first. */
  after: string | null
  limit: number
  /** Whether to read what was asked, too. */
  queries?: boolean
}

const UNSHOWN = ['owner_id', 'query', 'query_mac', 'chain_id', 'link_no', 'opening', 'mac'] as const

export async function listDisclosures(
  ledger: Database,
  query: DisclosureQuery,
): Promise<(Disclosure & { disclosure_id: string })[]> {
  const where = ['owner_id = ?']
  const params: (string | number)[] = [query.owner_id]
  const add = (sql: string, value: string | null) => {
    if (value === null) return
    where.push(sql)
    params.push(value)
  }
  add('disclosure_id < ?', query.after)
  add('client_id = ?', query.client_id)
  add('at >= ?', query.since)
  add('at < ?', query.until)
  const columns = columnsOf(DISCLOSURES, UNSHOWN)
  const rows = await ledger.all<Omit<Row<typeof DISCLOSURES>, (typeof UNSHOWN)[number]>>(
    `SELECT ${[...columns, ...(query.queries ? ['query'] : [])].join(', ')} FROM disclosures
     WHERE ${where.join(' AND ')} ORDER BY disclosure_id DESC LIMIT ?`,
    [...params, query.limit],
  )
  return rows.map(row => ({
    ...row,
    grant_ids: row.grant_ids.split(' '),
    shown: JSON.parse(row.shown),
    decided: JSON.parse(row.decided),
  }))
}
