/** A condition and the value that it compares with; left out if the value is null. */
type Condition = readonly [sql: string, value: string | number | null]

/** The conditions of a query that have a value, and their values in order. */
export function conditionsOf(conditions: readonly Condition[]): { sql: string; params: (string | number)[] } {
  const given = conditions.flatMap(([sql, value]) => (value === null ? [] : [{ sql, value }]))
  return { sql: given.map(({ sql }) => sql).join(' AND '), params: given.map(({ value }) => value) }
}
