import type { listDisclosures as contract } from '../../api/owner/ledger.ts'
import type { ReplyOf } from '../../api/route.ts'
import type { Shown } from '../../model/access/shown.ts'
import { conditionsOf } from '../engine/composed-sql.ts'
import type { Database, Select } from '../engine/database.ts'
import { timePrefix } from '../engine/identifiers.ts'
import type { Line, UnlinkedLine } from './ledger-chain.ts'

/**
 * What one request of a client was shown, and the fields that its response depended on; with the ids of records if it was
 * about particular ones, and with what was asked if the caller wants it.
 */
type Disclosure = Omit<ReplyOf<typeof contract>['data'][number], 'object'>

/** `shown` and `decided` are JSON here. */
export type NewDisclosure = Omit<UnlinkedLine, 'owner_id' | 'disclosure_id' | 'grant_ids'> &
  Pick<Disclosure, 'grant_ids'>

export interface DisclosureQuery {
  owner_id: string
  client_id: string | null
  since: string | null
  until: string | null
  /** Continues after this disclosure; newest first. */
  after: string | null
  limit: number
  /** Only disclosures that showed this record. */
  record?: { connection_id: string; stream: string; record_id: string } | null
  /** Whether to include what was requested. */
  queries?: boolean
}

/** The columns that the owner is shown. */
const SHOWN = [
  ...(['disclosure_id', 'at', 'request_id', 'client_id', 'grant_ids'] as const),
  ...(['route', 'shown', 'status', 'decided'] as const),
]

/** Lines that are scanned at once for a record. */
const LINES_AT_ONCE = 5_000

export async function listDisclosures(ledger: Database, query: DisclosureQuery): Promise<Disclosure[]> {
  const { record } = query
  if (!record) return readLines(ledger, query)
  // The record first, because it rules out most lines.
  const parts = [record.record_id, record.stream, record.connection_id].map(text => JSON.stringify(text))
  const containing = {
    sql: parts.map(() => ledger.contains('d.shown')).join(' AND '),
    params: parts,
  }
  const found: Disclosure[] = []
  let after = query.after
  // In steps, so that other requests are answered meanwhile.
  for (;;) {
    const last = await lastOf(ledger, query.owner_id, after)
    const lines = await readLines(ledger, { ...query, after }, last, containing)
    // A line may contain these texts in places that do not belong together.
    found.push(...lines.filter(({ shown }) => shown.some(each => isOf(each, record))))
    const next = lines.length < query.limit ? last : (lines.at(-1)?.disclosure_id ?? null)
    if (next === null || found.length >= query.limit) return found.slice(0, query.limit)
    after = next
    await new Promise(setImmediate)
  }
}

function isOf(
  shown: Shown,
  { connection_id, stream, record_id }: NonNullable<DisclosureQuery['record']>,
): boolean {
  return (
    shown.connection_id === connection_id && shown.stream === stream && shown.record_ids.includes(record_id)
  )
}

/** The id of the last of the next lines; null if these are all. */
async function lastOf(ledger: Database, owner_id: string, after: string | null): Promise<string | null> {
  const row = await ledger.get<{ last: string | null; n: number }>(
    `SELECT min(disclosure_id) AS last, count(*) AS n FROM (
       SELECT disclosure_id FROM disclosures WHERE owner_id = ? AND disclosure_id < ?
       ORDER BY disclosure_id DESC LIMIT ?) AS next`,
    [owner_id, after ?? AFTER_ALL, LINES_AT_ONCE],
  )
  return row && Number(row.n) === LINES_AT_ONCE ? row.last : null
}

const CLOCK_SLACK_MS = 86_400_000

/** Sorts after every id, because ids begin with the time in lower-case letters and digits. */
const AFTER_ALL = '~'

/** The newest lines, not older than the one with the id `last`. */
async function readLines(
  ledger: Database,
  query: DisclosureQuery,
  last: string | null = null,
  containing: Select | null = null,
): Promise<Disclosure[]> {
  // SQLite would read every line to find those of one client, because lines are stored in the order that is asked for.
  const isOfClient = query.client_id !== null
  const [id, from] = isOfClient
    ? ['c', 'disclosures AS c JOIN disclosures AS d USING (owner_id, disclosure_id)']
    : ['d', 'disclosures AS d']
  const { sql, params } = conditionsOf([
    [`${id}.owner_id = ?`, query.owner_id],
    ['c.client_id = ?', query.client_id],
    [`${id}.disclosure_id < ?`, query.after],
    [`${id}.disclosure_id >= ?`, last],
    ['d.at >= ?', query.since],
    // A line is never older than its id, so older ids need not be examined.
    [`${id}.disclosure_id >= ?`, query.since && timePrefix(Math.max(0, Date.parse(query.since)))],
    ['d.at < ?', query.until],
    // An id is later than its line only while a clock that was set back catches up.
    [
      `${id}.disclosure_id < ?`,
      query.until && timePrefix(Math.max(0, Date.parse(query.until)) + CLOCK_SLACK_MS),
    ],
  ])
  const columns = [...SHOWN, ...(query.queries ? ['query'] : [])].map(column => `d.${column}`)
  const rows = await ledger.all<Pick<Line, (typeof SHOWN)[number]>>(
    `SELECT ${columns.join(', ')} FROM ${from}
     WHERE ${sql}${containing ? ` AND ${containing.sql}` : ''} ORDER BY ${id}.disclosure_id DESC LIMIT ?`,
    [...params, ...(containing?.params ?? []), query.limit],
  )
  return rows.map(row => ({
    ...row,
    grant_ids: row.grant_ids.split(' '),
    shown: JSON.parse(row.shown),
    decided: JSON.parse(row.decided),
  }))
}
