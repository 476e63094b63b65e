import { compareKeys } from '../../../model/reading/filter.ts'
import { allEnded } from '../../budget/budget.ts'
import type { View } from '../../engine/database.ts'
import {
  besideSql,
  type ConversationKey,
  type ConversationPosition,
  neighbours,
} from '../../records/conversation.ts'
import type { SearchSource } from '../open-fields.ts'
import type { RowPlace } from '../search-rows.ts'
import type { SearchScope } from '../search-scope.ts'

/** The sources known to have a record in a conversation, by database and owner. */
const seen = new WeakMap<object, Set<string>>()

/**
 * Which of the sources have a record in a conversation, visible or not: in the others there are no neighbours to look
 * for. This only saves work: many sources declare conversations, and a store may have no records in any of them.
 */
export async function conversingSources(
  database: View,
  owner_id: string,
  sources: ReadonlySet<SearchSource>,
): Promise<Set<SearchSource>> {
  const known = seen.get(database.identity) ?? new Set()
  seen.set(database.identity, known)
  const keyOf = ({ key }: SearchSource) => `${owner_id}/${key}`
  const asked = [...sources].filter(source => !known.has(keyOf(source)))
  const found = await allEnded(
    asked.map(({ source: { connection_id, stream } }) =>
      database.get(EXISTS, [owner_id, connection_id, stream.name, owner_id, connection_id, stream.name]),
    ),
  )
  for (const [i, source] of asked.entries()) if (found[i]) known.add(keyOf(source))
  return new Set([...sources].filter(source => known.has(keyOf(source))))
}

/** In index order, so that PostgreSQL reads one index entry. */
const EXISTS = ['thread_key', 'place_key']
  .map(
    column => `SELECT record_key FROM (SELECT record_key FROM records
      WHERE owner_id = ? AND connection_id = ? AND stream = ? AND ${column} IS NOT NULL
      ORDER BY ${column} LIMIT 1) AS by_${column}`,
  )
  .join(' UNION ALL ')

type Side = 'before' | 'after'

/** One side of a record in its conversation. */
export interface AskedSide {
  key: ConversationKey
  at: ConversationPosition
  side: Side
}

/** Lookups in one statement: each statement takes a round trip. */
const AT_ONCE = 16
/** Reads more than needed, because some may be hidden. */
const SPARE = 2

/** The nearest visible records on each side that is asked for, nearest first, up to a limit. */
export async function besideEach(
  scope: SearchScope,
  asked: readonly AskedSide[],
  most: number,
): Promise<RowPlace[][]> {
  const found: RowPlace[][] = []
  for (let i = 0; i < asked.length; i += AT_ONCE)
    found.push(...(await lookUp(scope, asked.slice(i, i + AT_ONCE), most)))
  return found
}

type Found = { n: number; record_key: string; time_key: string | null; order_key: string }

async function lookUp(scope: SearchScope, sides: readonly AskedSide[], most: number): Promise<RowPlace[][]> {
  const limit = most + SPARE
  const parts = sides.map(({ key, side, at }, n) => {
    const { sql, params } = besideSql(key, side, at)
    const select = `SELECT * FROM (SELECT ${n} AS n, record_key, time_key, order_key ${sql}) AS s${n}`
    return { select, params: [...params, limit] }
  })
  const rows = await scope.database.all<Found>(
    parts.map(({ select }) => select).join(' UNION ALL '),
    parts.flatMap(({ params }) => params),
  )
  const bySide = Map.groupBy(rows, row => Number(row.n))
  return allEnded(
    sides.map(async (side, n) => {
      const all = inOrder(bySide.get(n) ?? [], side.side)
      const visible = all.map(row => placeOf(side, row)).filter(place => scope.open(place) !== null)
      if (visible.length >= most || all.length < limit) return visible.slice(0, most)
      return readOn(scope, side, most)
    }),
  )
}

/** A union does not keep the order. */
function inOrder(rows: readonly Found[], side: Side): Found[] {
  const way = side === 'after' ? 1 : -1
  return rows.toSorted(
    (a, b) => way * (compareKeys(a.order_key, b.order_key) || compareKeys(a.record_key, b.record_key)),
  )
}

/** If many records are hidden, they are skipped one after the other. */
async function readOn(scope: SearchScope, side: AskedSide, most: number): Promise<RowPlace[]> {
  const found: RowPlace[] = []
  const { database, budget } = scope
  for await (const { record, position } of neighbours(database, side.key, side.side, side.at, budget)) {
    const place = placeOf(side, { ...position, time_key: record.time_key })
    if (scope.open(place) !== null) found.push(place)
    if (found.length === most) break
  }
  return found
}

function placeOf(
  { key: { source } }: AskedSide,
  { record_key, time_key }: { record_key: string; time_key: string | null },
): RowPlace {
  const { connection_id, stream } = source
  return { row_id: 0, row_no: 0, connection_id, stream: stream.name, record_key, time_key }
}
