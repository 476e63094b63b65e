import type { View } from '../engine/database.ts'
import type { ClauseGroup } from './clause-groups.ts'
import type { SearchSource } from './open-fields.ts'
import type { ViewOrder } from './view-order.ts'

/*
 * The rows that groups show, found in SQL. Only for groups whose clauses share their time bounds and list no records; in
 * others each row has to be checked.
 */

/** The part of a scope that these statements need. */
interface Scope {
  database: View
  owner_id: string
  sources: readonly SearchSource[]
}

/** Those of the rows that the group shows, newest first. */
export function shownAmong(scope: Scope, group: ClauseGroup, row_ids: readonly number[]): Promise<number[]> {
  const { database, owner_id } = scope
  const { sql, params } = shownBy(scope, group)
  return database.numbers(
    `SELECT row_id AS n FROM search_rows WHERE owner_id = ? AND ${database.oneOf('row_id', 'bigint')}
       AND ${sql} ORDER BY row_id DESC`,
    [owner_id, database.list(row_ids), ...params],
  )
}

/** The most rows that are examined one by one to count the visible ones. A bound on time. */
const MOST_BETWEEN = 20_000

interface RowsBetween {
  rows: number
  oldest: number | null
}

/**
 * How many first rows below one number and at or above another may be seen, counting at most the `most` newest of
 * them, and the oldest of these. Null if that would require examining each row, or if so few may be seen that too
 * many others would have to be skipped.
 */
export async function countBetween(
  scope: Scope & { groups: readonly ClauseGroup[]; isFiltered: boolean; order: ViewOrder },
  below: number,
  from: number,
  most: number,
): Promise<RowsBetween | null> {
  const { database, owner_id, groups, isFiltered, order } = scope
  const isSimple = groups.length > 0 && groups.every(({ mustCheckRows }) => !mustCheckRows)
  if (!isSimple || isFiltered || !order.isOfNumbers) return null
  const start = Math.max(from, below - MOST_BETWEEN)
  const shown = groups.map(group => shownBy(scope, group))
  const sql = shown.map(each => `(${each.sql})`).join(' OR ')
  const params = shown.flatMap(each => each.params)
  const found = await database.get<RowsBetween>(
    `SELECT CAST(count(*) AS BIGINT) AS rows, min(row_id) AS oldest FROM (
       SELECT row_id FROM search_rows WHERE owner_id = ? AND row_id < ? AND row_id >= ? AND (${sql})
       ORDER BY row_id DESC LIMIT ?) AS newest`,
    [owner_id, below, start, ...params, most],
  )
  return found && (found.rows === most || start === from) ? found : null
}

/** The number of the sources' records per UTC day, including hidden ones: used only to divide work. */
export function recordsByDay({ database, owner_id, sources }: Scope): Promise<{ day: string; n: number }[]> {
  const places = placesOf(sources)
  return database.all(
    `SELECT day, CAST(sum(n) AS BIGINT) AS n FROM tallies
     WHERE owner_id = ? AND ${places.sql} AND day <> '' AND n > 0 GROUP BY day ORDER BY day`,
    [owner_id, ...places.params],
  )
}

function shownBy(
  { sources }: Scope,
  { sources: keys, times }: ClauseGroup,
): { sql: string; params: string[] } {
  const places = placesOf(sources.filter(({ key }) => keys.has(key)))
  return times
    ? {
        sql: `${places.sql} AND time_key >= ? AND time_key < ?`,
        params: [...places.params, times.since, times.until],
      }
    : places
}

function placesOf(sources: readonly SearchSource[]): { sql: string; params: string[] } {
  return {
    sql: `(${sources.map(() => '(connection_id = ? AND stream = ?)').join(' OR ')})`,
    params: sources.flatMap(({ source }) => [source.connection_id, source.stream.name]),
  }
}
