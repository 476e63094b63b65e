import { type readActivity as contract, MOST_IN_PART } from '../../api/owner/activity.ts'
import type { ReplyOf } from '../../api/route.ts'
import { search } from '../../api/search.ts'
import { passagesOf, type Shown } from '../../model/access/shown.ts'
import type { Database } from '../engine/database.ts'
import { timePrefix } from '../engine/identifiers.ts'

export interface ActivityQuery {
  owner_id: string
  /** Null means every client. */
  client_id: string | null
  /** In milliseconds; `until` is excluded. */
  since: number
  until: number
  /** The time range is divided into this many equal parts. */
  parts: number
  /** The content of at most this many lines is read. */
  examine: number
}

/** What one client requested in a time range and what it was shown. A record that was shown twice counts once. */
export type Activity = Omit<ReplyOf<typeof contract>['data'][number], 'object'>

/**
 * What each client did, the busiest first. Lines are counted by the index; only the content of the newest is added up.
 */
export async function readActivity(ledger: Database, query: ActivityQuery): Promise<Activity[]> {
  const clients = query.client_id === null ? await activeClients(ledger, query) : [query.client_id]
  const most = Math.max(1, Math.floor(query.examine / Math.max(1, clients.length)))
  const found: Activity[] = []
  for (const client_id of clients) {
    const by_part = await countParts(ledger, query, client_id)
    const lines = await newestLines(ledger, query, client_id, most)
    const requests = by_part.reduce((sum, n) => sum + n, 0)
    if (requests > 0) found.push({ client_id, requests, by_part, ...summed(lines) })
  }
  return found.sort((a, b) => b.requests - a.requests)
}

const SEARCH = `${search.method} ${search.path}`
const WITHIN = 'owner_id = ? AND client_id = ? AND disclosure_id >= ? AND disclosure_id < ?'

/** Jumps from client to client in the index, so that the number of lines does not matter. */
async function activeClients(ledger: Database, { owner_id, since, until }: ActivityQuery): Promise<string[]> {
  const next = 'SELECT min(client_id) FROM disclosures WHERE owner_id = ?'
  const rows = await ledger.all<{ client_id: string }>(
    `WITH RECURSIVE clients (client_id) AS (
       ${next}
       UNION ALL SELECT (${next} AND client_id > clients.client_id) FROM clients WHERE client_id IS NOT NULL
     )
     SELECT client_id FROM clients WHERE client_id IS NOT NULL AND EXISTS (
       SELECT 1 FROM disclosures AS d WHERE d.owner_id = ? AND d.client_id = clients.client_id
         AND d.disclosure_id >= ? AND d.disclosure_id < ?)`,
    [owner_id, owner_id, owner_id, timePrefix(since), timePrefix(until)],
  )
  return rows.map(row => row.client_id)
}

async function countParts(
  ledger: Database,
  { owner_id, since, until, parts }: ActivityQuery,
  client_id: string,
): Promise<number[]> {
  const bounds = Array.from({ length: parts + 1 }, (_, part) =>
    timePrefix(Math.round(since + ((until - since) * part) / parts)),
  )
  const each = Array.from(
    { length: parts },
    (_, part) =>
      `SELECT ${part} AS part, count(*) AS n FROM (SELECT 1 FROM disclosures WHERE ${WITHIN} LIMIT ${MOST_IN_PART}) AS l`,
  )
  const rows = await ledger.all<{ part: number; n: number }>(
    each.join(' UNION ALL '),
    bounds.slice(1).flatMap((end, part) => [owner_id, client_id, bounds[part] ?? '', end]),
  )
  const counts = new Map(rows.map(({ part, n }) => [Number(part), Number(n)]))
  return Array.from({ length: parts }, (_, part) => counts.get(part) ?? 0)
}

interface Line {
  request_id: string
  route: string
  status: number
  shown: string
}

/** Found by the index of clients first: SQLite would read every line in the order that is asked for. */
function newestLines(
  ledger: Database,
  { owner_id, since, until }: ActivityQuery,
  client_id: string,
  most: number,
): Promise<Line[]> {
  return ledger.all<Line>(
    `SELECT request_id, route, status, shown FROM disclosures WHERE owner_id = ? AND disclosure_id IN (
       SELECT disclosure_id FROM disclosures WHERE ${WITHIN} ORDER BY disclosure_id DESC LIMIT ?)`,
    [owner_id, owner_id, client_id, timePrefix(since), timePrefix(until), most],
  )
}

function summed(lines: readonly Line[]): Omit<Activity, 'client_id' | 'requests' | 'by_part'> {
  const sums = {
    examined: lines.length,
    calls: new Set(lines.map(({ request_id }) => request_id)).size,
    refused: 0,
    empty_searches: 0,
    passages: 0,
    characters: 0,
  }
  const streams = new Map<string, { connection_id: string; stream: string; seen: Set<string> }>()
  for (const { route, status, shown } of lines) {
    let isEmpty = true
    for (const each of JSON.parse(shown) as Shown[]) {
      const { connection_id, stream, record_ids } = each
      if (record_ids.length > 0) isEmpty = false
      const key = `${connection_id} ${stream}`
      const place = streams.get(key) ?? { connection_id, stream, seen: new Set() }
      for (const id of record_ids) place.seen.add(id)
      streams.set(key, place)
      const passages = passagesOf(each)
      sums.passages += passages.length
      for (const { start, end } of passages) sums.characters += end - start
    }
    if (Number(status) >= 400) sums.refused++
    else if (isEmpty && route === SEARCH) sums.empty_searches++
  }
  const shown = [...streams.values()].map(({ seen, ...place }) => ({ ...place, records: seen.size }))
  const records = shown.reduce((sum, each) => sum + each.records, 0)
  return { ...sums, records, shown: shown.sort((a, b) => b.records - a.records) }
}
