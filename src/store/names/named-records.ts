import { placeKey, type Source } from '../../model/access/enforce.ts'
import { propertyOf, timeField, typesOf } from '../../model/declaration/declaration.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import type { AggregateQuery } from '../../model/reading/aggregate.ts'
import { type CompiledCondition, type SelectedSource, widestKey } from '../../model/reading/filter.ts'
import type { RoleCondition, SpelledWords } from '../../model/reading/role-test.ts'
import { builtNames } from '../../model/search/index-version.ts'
import { isUnspaced } from '../../model/text/analyzer.ts'
import type { Queryable, Select } from '../engine/database.ts'

/** The names that pass a condition of a source, in fields that the condition examines. */
export interface FoundNames {
  owner_id: string
  numbers: number[]
  /** How many records they have; a record with several of the names is counted several times. */
  records: number
  condition: RoleCondition
}

interface Selected {
  owner_id: string
  parts: readonly SelectedSource[]
}

/** For each part that asks for people, the names to look up; a part is missing if every record has to be read. */
export async function findNames(
  database: Queryable,
  { owner_id, parts }: Selected,
): Promise<Map<Source, FoundNames>> {
  const asking = parts.flatMap(({ source, conditions }) => {
    const condition = conditions.find(asksForPeople)
    return condition ? [{ source, condition }] : []
  })
  const found = new Map<Source, FoundNames>()
  if (asking.length === 0) return found
  const built = await BuiltNames.read(database, owner_id)
  for (const { source, condition } of asking) {
    if (built.have(source.connection_id, source.stream.name, condition.fields))
      found.set(source, await namesHolding(database, owner_id, source, condition))
  }
  return found
}

/** Only the first such condition of a source is looked up. */
export function asksForPeople(condition: CompiledCondition): condition is RoleCondition {
  return 'test' in condition && condition.test === 'words'
}

/** A condition on `words` of a name: it contains each of these words, in one of its spellings. */
export function holdingWords(words: SpelledWords): { sql: string; patterns: string[] } {
  const sql = words.map(spellings => `(${spellings.map(() => 'words LIKE ?').join(' OR ')})`).join(' AND ')
  // Words are letters and digits, which have no special meaning in a pattern.
  const patternOf = (word: string) => (isUnspaced(word) ? `%${word}%` : `% ${word} %`)
  return { sql, patterns: words.flat().map(patternOf) }
}

async function namesHolding(
  database: Queryable,
  owner_id: string,
  { connection_id, stream }: Source,
  condition: RoleCondition,
): Promise<FoundNames> {
  const { fields, anyOf } = condition
  const held = anyOf.map(holdingWords)
  const sql = held.map(each => `(${each.sql})`).join(' OR ')
  const patterns = held.flatMap(each => each.patterns)
  const rows = await database.all<{ name_no: number; n: number }>(
    `SELECT name_no, n FROM names WHERE owner_id = ? AND connection_id = ? AND stream = ?
       AND ${database.oneOf('field', 'text')} AND (${sql})`,
    [owner_id, connection_id, stream.name, database.list(fields.map(recordKey)), ...patterns],
  )
  const records = rows.reduce((sum, { n }) => sum + n, 0)
  return { owner_id, numbers: rows.map(({ name_no }) => name_no), records, condition }
}

/** The fields whose names are written for all records, for each stream of the owner. */
export class BuiltNames {
  readonly #fields: ReadonlyMap<string, readonly string[]>

  private constructor(fields: ReadonlyMap<string, readonly string[]>) {
    this.#fields = fields
  }

  static async read(database: Queryable, owner_id: string): Promise<BuiltNames> {
    const states = await database.all<{ connection_id: string; stream: string; version: string }>(
      'SELECT connection_id, stream, version FROM search_state WHERE owner_id = ?',
      [owner_id],
    )
    const place = ({ connection_id, stream }: (typeof states)[number]) => placeKey(connection_id, stream)
    return new BuiltNames(new Map(states.map(state => [place(state), builtNames(state.version)])))
  }

  /** Whether all names in these fields of a stream are written; null if the stream has no records. */
  have(connection_id: string, stream: string, fields: readonly string[]): boolean | null {
    const built = this.#fields.get(placeKey(connection_id, stream))
    return built ? fields.every(field => built.includes(field)) : null
  }
}

/** Up to this many names are walked by time in parallel. */
const MOST_WALKED = 20
/** Up to this many records of names are read at once. With more, all records are walked in order instead. */
const MOST_AT_HAND = 10_000

/** Where a walk by time continues: after a record, or at it. */
interface WalkFrom {
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

function ofNames(database: Queryable, { owner_id, numbers }: FoundNames): Select {
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
