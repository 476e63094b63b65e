import type { listDisclosures as contract } from '../../api/owner/ledger.ts'
import type { ReplyOf } from '../../api/route.ts'
import type { Shown } from '../../model/access/shown.ts'
import { conditionsOf } from '../engine/composed-sql.ts'
import type { Database, Select } from '../engine/database.ts'
import { timePrefix } from '../engine/identifiers.ts'
import type { Line, UnlinkedLine } from './ledger-chain.ts'
import { LINES_IN_BLOCK, linesThatMayShow, type RecordName, type Stretch } from './line-blocks.ts'

/**
 * What one request of a client was shown, and the fields that its response depended on; with the ids of records if it was
 * about particular ones, and with what was asked if the caller wants it.
 */
export type Disclosure = Omit<ReplyOf<typeof contract>['data'][number], 'object'>

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
  record?: RecordName | null
  /** Whether to include what was requested. */
  queries?: boolean
}

/** The columns that the owner is shown. */
const SHOWN = [
  ...(['disclosure_id', 'at', 'request_id', 'client_id', 'grant_ids'] as const),
  ...(['route', 'shown', 'status', 'decided'] as const),
]

/** The newest lines that a query asks for; `directory` has the keys of the ledger. */
export async function listDisclosures(
  ledger: Database,
  directory: string,
  query: DisclosureQuery,
): Promise<Disclosure[]> {
  const { record } = query
  if (!record) return readLines(ledger, query)
  // The record first, because it rules out most lines.
  const parts = [record.record_id, record.stream, record.connection_id].map(text => JSON.stringify(text))
  const containing = { sql: parts.map(() => ledger.contains('d.shown')).join(' AND '), params: parts }
  const found: Disclosure[] = []
  const below = query.after ?? AFTER_ALL
  for await (const stretch of linesThatMayShow(ledger, directory, {
    owner_id: query.owner_id,
    record,
    below,
  })) {
    let next: string | null = stretch.below
    // In steps, so that other requests are answered meanwhile.
    while (next !== null) {
      const step: Stretch = { from: stretch.from, below: next }
      const last = await lastOf(ledger, query.owner_id, step)
      const lines = await readLines(ledger, query, { ...step, from: last ?? step.from }, containing)
      // A line may contain these texts in places that do not belong together.
      found.push(...lines.filter(({ shown }) => shown.some(each => isOf(each, record))))
      if (found.length >= query.limit) return found.slice(0, query.limit)
      next = lines.length < query.limit ? last : (lines.at(-1)?.disclosure_id ?? null)
      await new Promise(setImmediate)
    }
  }
  return found
}

function isOf(shown: Shown, { connection_id, stream, record_id }: RecordName): boolean {
  return (
    shown.connection_id === connection_id && shown.stream === stream && shown.record_ids.includes(record_id)
  )
}

/** The id of the last of the next lines; null if these are all. */
async function lastOf(ledger: Database, owner_id: string, { from, below }: Stretch): Promise<string | null> {
  const row = await ledger.get<{ last: string | null; n: number }>(
    `SELECT min(disclosure_id) AS last, count(*) AS n FROM (
       SELECT disclosure_id FROM disclosures WHERE owner_id = ? AND disclosure_id >= ? AND disclosure_id < ?
       ORDER BY disclosure_id DESC LIMIT ?) AS next`,
    [owner_id, from, below, LINES_IN_BLOCK],
  )
  return row && Number(row.n) === LINES_IN_BLOCK ? row.last : null
}

const CLOCK_SLACK_MS = 86_400_000

/** Sorts after every id, because ids begin with the time in lower-case letters and digits. */
const AFTER_ALL = '~'

/** The newest lines, of one stretch if only those may be read. */
async function readLines(
  ledger: Database,
  query: DisclosureQuery,
  { from: first = null, below = query.after }: Partial<Record<keyof Stretch, string | null>> = {},
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
    [`${id}.disclosure_id < ?`, below],
    [`${id}.disclosure_id >= ?`, first],
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
