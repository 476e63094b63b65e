import type { Source } from '../../model/access/enforce.ts'
import { propertyOf, typesOf } from '../../model/declaration/declaration.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import type { AggregateQuery } from '../../model/reading/aggregate.ts'
import type { SelectedSource } from '../../model/reading/filter.ts'
import type { Queryable } from '../engine/database.ts'
import { BuiltNames, type FoundNames } from './find-names.ts'
import { ofNames } from './named-records.ts'

/** How many records pass, counted from names alone; null if the records have to be read. */
export async function countNamed(
  database: Queryable,
  { source, conditions }: SelectedSource,
  names: FoundNames,
): Promise<number | null> {
  const { numbers, records, condition } = names
  if (conditions.length > 1 || !opensAlways(source, condition.fields)) return null
  if (numbers.length < 2) return records
  const { sql, params } = ofNames(database, names)
  const row = await database.get<{ n: number }>(
    `SELECT CAST(count(*) AS BIGINT) AS n FROM (SELECT DISTINCT record_key FROM name_records WHERE ${sql}) AS r`,
    params,
  )
  return row?.n ?? 0
}

/** A text of a field, and how many records have it. */
interface CountedName {
  text: string
  n: number
}

/**
 * The records of a source by the text of a field that names people, without reading them; null if the names cannot answer
 * the query. `records` is the number of all its records: if some have no name in the field, they have to be read.
 */
export async function countedByName(
  database: Queryable,
  owner_id: string,
  { source, conditions }: SelectedSource,
  { metric, group_by, split_by }: AggregateQuery,
  records: () => Promise<number>,
): Promise<CountedName[] | null> {
  if (metric !== 'count' || group_by === null || split_by !== null || conditions.length > 0) return null
  const { connection_id, stream } = source
  const areTexts = typesOf(propertyOf(stream, group_by)).every(type => type === 'string' || type === 'null')
  if (!areTexts || !opensAlways(source, [group_by])) return null
  if (!(await BuiltNames.read(database, owner_id)).have(connection_id, stream.name, [group_by])) return null
  const names = await database.all<CountedName>(
    'SELECT text, n FROM names WHERE owner_id = ? AND connection_id = ? AND stream = ? AND field = ?',
    [owner_id, connection_id, stream.name, recordKey(group_by)],
  )
  // A very long name is stored without its text.
  if (names.some(({ text }) => text === '')) return null
  const named = names.reduce((sum, { n }) => sum + n, 0)
  return named === (await records()) ? names : null
}

/** Whether every record of a source is visible with these fields. */
function opensAlways({ clauses }: Source, fields: readonly string[]): boolean {
  return clauses.some(
    clause =>
      clause.since === null &&
      clause.until === null &&
      clause.record_ids === null &&
      fields.every(field => clause.fields === null || clause.fields.has(field)),
  )
}
