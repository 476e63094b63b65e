import type { Source } from '../../model/access/enforce.ts'
import { timeField } from '../../model/declaration/declaration.ts'
import { type SelectedSource, widestKey } from '../../model/reading/filter.ts'
import type { Queryable, Select } from '../engine/database.ts'
import type { FoundNames } from './find-names.ts'

/** Up to this many names are walked by time in parallel. */
const MOST_WALKED = 20
/** Up to this many records of names are read at once. With more, all records are walked in order instead. */
const MOST_AT_HAND = 10_000

/** Where a walk by time continues: after a record, or at it. */
export interface WalkFrom {
  time_key: string
  record_key: string
  inclusive: boolean
}

/**
 * The keys of the next records that have one of the names, by time, as `named_key`; null if the names have so many
 * records that a walk over all records is as fast.
 */
export function walkNames(
  database: Queryable,
  part: SelectedSource,
  names: FoundNames,
  { order, from, limit }: { order: 'asc' | 'desc'; from: WalkFrom | null; limit: number },
): Select | null {
  const { owner_id, numbers, records } = names
  const [way, beyond] = order === 'asc' ? ['ASC', '>'] : ['DESC', '<']
  const bounds = timeBounds(part)
  if (from)
    bounds.push({
      sql: `(time_key, record_key) ${beyond}${from.inclusive ? '=' : ''} (?, ?)`,
      params: [from.time_key, from.record_key],
    })
  const within = bounds.map(({ sql }) => ` AND ${sql}`).join('')
  const values = bounds.flatMap(({ params }) => params)
  const next = (name: string) => `SELECT time_key AS named_time, record_key AS named_key FROM name_records
      WHERE ${name} AND time_key > ''${within}`
  const sorted = `ORDER BY named_time ${way}, named_key ${way} LIMIT ?`
  if (numbers.length <= MOST_WALKED) {
    // A record that has several of the names is found under each.
    const walks = numbers.map(
      (_, i) => `SELECT * FROM (${next('owner_id = ? AND name_no = ?')} ${sorted}) AS n${i}`,
    )
    const params = numbers.flatMap(number => [owner_id, number, ...values, limit])
    return { sql: `${walks.join(' UNION ')} ${sorted}`, params: [...params, limit] }
  }
  if (records > MOST_AT_HAND) return null
  const { sql, params } = ofNames(database, names)
  return {
    sql: `SELECT DISTINCT * FROM (${next(sql)}) AS n ${sorted}`,
    params: [...params, ...values, limit],
  }
}

/** The time bounds that apply to every record of a part that can pass. */
function timeBounds({ source, conditions }: SelectedSource): Select[] {
  const [clause] = source.clauses
  const only = source.clauses.length === 1 ? clause : undefined
  const bounds: Select[] = []
  if (only && only.since !== null) bounds.push({ sql: 'time_key >= ?', params: [only.since] })
  if (only && only.until !== null) bounds.push({ sql: 'time_key < ?', params: [only.until] })
  for (const condition of conditions) {
    if ('test' in condition || condition.field !== timeField(source.stream)) continue
    if (condition.operator === 'gte') bounds.push({ sql: 'time_key >= ?', params: [widestKey(condition)] })
    if (condition.operator === 'lt') bounds.push({ sql: 'time_key < ?', params: [condition.key] })
  }
  return bounds
}

export function ofNames(database: Queryable, { owner_id, numbers }: FoundNames): Select {
  return {
    sql: `owner_id = ? AND ${database.oneOf('name_no', 'bigint')}`,
    params: [owner_id, database.list(numbers)],
  }
}

/** The keys of the records of names, unordered; null if there are too many. */
export async function keysOfNames(database: Queryable, names: FoundNames): Promise<string[] | null> {
  const { numbers, records } = names
  if (records > MOST_AT_HAND) return null
  if (numbers.length === 0) return []
  const { sql, params } = ofNames(database, names)
  const rows = await database.all<{ record_key: string }>(
    `SELECT DISTINCT record_key FROM name_records WHERE ${sql}`,
    params,
  )
  return rows.map(({ record_key }) => record_key)
}

/** The first rows, in the search index, of the records of names in a source; null if there are too many. */
export async function rowsOfNames(
  database: Queryable,
  { connection_id, stream }: Source,
  names: FoundNames,
): Promise<number[] | null> {
  const { numbers, records } = names
  if (records > MOST_AT_HAND) return null
  if (numbers.length === 0) return []
  const { sql, params } = ofNames(database, names)
  return database.numbers(
    `SELECT r.first_row AS n FROM (SELECT DISTINCT owner_id, record_key FROM name_records WHERE ${sql}) AS k
       JOIN records AS r ON r.owner_id = k.owner_id AND r.record_key = k.record_key
     WHERE r.connection_id = ? AND r.stream = ? AND r.first_row IS NOT NULL`,
    [...params, connection_id, stream.name],
  )
}
