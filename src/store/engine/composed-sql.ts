import type { Select } from './database.ts'

/** A condition and the value that it compares with; left out if the value is null. */
type Condition = readonly [sql: string, value: string | number | null]

/** The conditions of a query that have a value, and their values in order. */
export function conditionsOf(conditions: readonly Condition[]): { sql: string; params: (string | number)[] } {
  const given = conditions.flatMap(([sql, value]) => (value === null ? [] : [{ sql, value }]))
  return { sql: given.map(({ sql }) => sql).join(' AND '), params: given.map(({ value }) => value) }
}

/** The first rows of several selects in one order. */
export function merged(selects: readonly Select[], order: string, limit: number): Select {
  const sql = `${selects.map(each => each.sql).join(' UNION ALL ')} ORDER BY ${order} LIMIT ?`
  return { sql, params: [...selects.flatMap(each => each.params), limit] }
}

/** The first rows of several selects in one order, reading no more than that many rows of each. */
export function mergedWithinLimit(selects: readonly Select[], order: string, limit: number): Select {
  if (selects.length === 1) return merged(selects, order, limit)
  const limited = selects.map(({ sql, params }, index) => ({
    sql: `SELECT * FROM (${sql} ORDER BY ${order} LIMIT ?) AS a${index}`,
    params: [...params, limit],
  }))
  return merged(limited, order, limit)
}
