import {
  type Clause,
  grantsFieldThroughout,
  type Placement,
  type Source,
} from '../../model/access/enforce.ts'
import { timeField } from '../../model/declaration/declaration.ts'
import { recordKey, TEXT_KEY } from '../../model/declaration/keys.ts'
import { type CompiledCondition, compareKeys, widestKey } from '../../model/reading/filter.ts'
import type { LongText, Projectable, StoredRecord } from '../../model/reading/record.ts'
import type { History } from '../../model/reading/record-history.ts'
import { mergedWithinLimit } from '../engine/composed-sql.ts'
import type { Queryable, Select, Value } from '../engine/database.ts'
import { columnsOf } from '../engine/table.ts'
import { RECORDS, type StoredRow } from './tables.ts'

/** Callers already know these, so they are not read. */
const LEFT_OUT = ['owner_id', 'stream', 'changed_at'] as const
export type RecordRow = Omit<StoredRow, (typeof LEFT_OUT)[number]>

export const COLUMNS = columnsOf(RECORDS, LEFT_OUT).join(', ')

/** The columns that show a record; its places in conversations and in the search index are not read. */
const UNSHOWN = [
  ...LEFT_OUT,
  'thread_key',
  'place_key',
  'order_key',
  'first_row',
  'row_count',
  'earliest_key',
  'latest_key',
] as const
export type ShownRow = Omit<StoredRow, (typeof UNSHOWN)[number]>

const SHOWN_NAMES = columnsOf(RECORDS, UNSHOWN)
export const SHOWN_COLUMNS = SHOWN_NAMES.join(', ')

export function recordOf(row: ShownRow): StoredRecord {
  return {
    ...contentOf(row),
    connection_id: row.connection_id,
    version: row.version,
    deleted: row.deleted === 1,
    sort_key: row.sort_key,
  }
}

/** The columns that show a record and decide who may see it. */
export type RecordContent = Projectable & Placement
const BESIDE_CONTENT = [...UNSHOWN, 'connection_id', 'version', 'deleted', 'sort_key'] as const
export type ContentRow = Omit<StoredRow, (typeof BESIDE_CONTENT)[number]>
export const CONTENT_COLUMNS = columnsOf(RECORDS, BESIDE_CONTENT).join(', ')

export function contentOf(row: ContentRow): RecordContent {
  return {
    record_id: row.long_id ?? row.record_key,
    seq: row.seq,
    time_key: row.time_key,
    emitted_at: row.emitted_at,
    data: row.data,
    long_texts: longTextsOf(row),
    history: parsedHistory(row.history),
  }
}

/** The long texts that are stored apart from a record. */
export function longTextsOf({ long_texts }: Pick<StoredRow, 'long_texts'>): LongText[] {
  return long_texts ? (JSON.parse(long_texts) as LongText[]) : []
}

export function parsedHistory(history: string | null): History | null {
  return history ? (JSON.parse(history) as History) : null
}

/** The records with the same id in each source that has one. A record outside the clauses is usually not even read. */
export async function findRecords(
  database: Queryable,
  owner_id: string,
  sources: readonly Source[],
  record_id: string,
): Promise<{ source: Source; record: StoredRecord }[]> {
  const key = recordKey(record_id)
  const rows = await Promise.all(
    sources.map(source => {
      const { sql, params } = lookupIn(source)
      return database.get<ShownRow>(sql, [owner_id, ...params, key])
    }),
  )
  return sources.flatMap((source, index) => {
    const row = rows[index]
    return row ? [{ source, record: recordOf(row) }] : []
  })
}

const NO_CONDITIONS = { owner_id: '', conditions: new Map() } as const
const lookups = new WeakMap<Source, Select>()

/** How to find a record of a source; the parameters come after the owner and before the key. Sources never change. */
function lookupIn(source: Source): Select {
  const known = lookups.get(source)
  if (known) return known
  const { sql, params } = scopeOf(NO_CONDITIONS, source)
  const where = [...sql, 'record_key = ?'].join(' AND ')
  const lookup = { sql: `SELECT ${SHOWN_COLUMNS} FROM records WHERE ${where}`, params: params.slice(1) }
  lookups.set(source, lookup)
  return lookup
}

export type Order = 'asc' | 'desc'

/** A place in the order of a page; `sort_key` null means among the records without a value. */
export interface Position {
  sort_key: string | null
  record_key: string
  connection_id: string
}

export interface PageQuery {
  owner_id: string
  sources: readonly Source[]
  /** Conditions that may narrow the read in SQL; the caller checks each record again. */
  conditions: ReadonlyMap<Source, CompiledCondition[]>
  /** The only records of a source that can pass, if known. */
  among?: ReadonlyMap<Source, readonly string[]>
  order: Order
  after: Position | null
  limit: number
}

/** Whether a page may be ordered by the cursor field of a source: a hidden field must not affect the order (RS-5). */
export function isOrdered(source: Source): boolean {
  const field = source.stream.cursor_field
  return field !== undefined && grantsFieldThroughout(source, field)
}

/** Whether they may be ordered by time. */
export function isTimed(source: Source): boolean {
  const field = timeField(source.stream)
  return field !== undefined && grantsFieldThroughout(source, field)
}

export function positionOf(source: Source, row: StoredRecord): Position {
  return {
    sort_key: isOrdered(source) ? row.sort_key : null,
    record_key: recordKey(row.record_id),
    connection_id: row.connection_id,
  }
}

/** The next records of all sources in one order: first those with a cursor value, then those without. */
export async function nextRecords(database: Queryable, query: PageQuery): Promise<StoredRecord[]> {
  const valued =
    query.after && query.after.sort_key === null
      ? []
      : await arms(database, query, query.after, query.limit, true)
  if (valued.length >= query.limit) return valued
  const from = query.after?.sort_key === null ? query.after : null
  const rest = await arms(database, query, from, query.limit - valued.length, false)
  return [...valued, ...rest]
}

async function arms(
  database: Queryable,
  query: PageQuery,
  after: Position | null,
  limit: number,
  valued: boolean,
): Promise<StoredRecord[]> {
  const selects: Select[] = []
  let isListed = false
  const [way, beyond] = query.order === 'asc' ? ['ASC', '>'] : ['DESC', '<']
  // A second bound on the side where the page continues would make SQLite start there and walk to the cursor.
  const implied = query.order === 'asc' ? 'lower' : 'upper'
  for (const source of query.sources) {
    const ordered = isOrdered(source)
    if (valued && !ordered) continue
    const columns = columnsUnder(database, query.conditions.get(source) ?? [])
    const where = scopeOf(query, source, valued && after ? implied : null)
    const among = query.among?.get(source)
    if (among?.length === 0) continue
    isListed ||= among !== undefined || source.clauses.some(({ record_ids }) => record_ids !== null)
    if (among) {
      where.sql.push(database.oneOf('record_key', 'text'))
      where.params.push(database.list(among))
    }
    if (ordered) where.sql.push(valued ? 'sort_key IS NOT NULL' : 'sort_key IS NULL')
    if (after) {
      const behind =
        compareKeys(source.connection_id, after.connection_id) * (query.order === 'asc' ? 1 : -1) > 0
      const operator = behind ? `${beyond}=` : beyond
      where.sql.push(valued ? `(sort_key, record_key) ${operator} (?, ?)` : `record_key ${operator} ?`)
      where.params.push(...(valued ? [after.sort_key, after.record_key] : [after.record_key]))
    }
    selects.push({
      sql: `SELECT ${columns.sql} FROM records WHERE ${where.sql.join(' AND ')}`,
      params: [...columns.params, ...where.params],
    })
  }
  if (selects.length === 0) return []
  const order = `${valued ? `sort_key ${way}, ` : ''}record_key ${way}, connection_id ${way}`
  // Records that are listed are looked up one by one, in no order.
  const { sql, params } = isListed
    ? mergedWithinLimit(selects, order, limit)
    : database.mergeInOrder(selects, order, limit)
  return (await database.all<ShownRow>(sql, params)).map(recordOf)
}

/** Replaces the data of a record that cannot pass. */
export const LEFT_UNREAD = ''

/** The texts that fields must equal, as they are written in the JSON of a record that passes. */
export function equalledTexts(conditions: readonly CompiledCondition[]): string[] {
  return conditions.flatMap(condition =>
    'key' in condition && condition.operator === 'eq' && condition.key?.startsWith(TEXT_KEY)
      ? [JSON.stringify(condition.key.slice(TEXT_KEY.length))]
      : [],
  )
}

/**
 * The columns of a record. Its data is read only if it contains the texts that fields must equal: most records do not,
 * and parsing their data is most of the work.
 */
export function columnsUnder(
  database: Queryable,
  conditions: readonly CompiledCondition[],
): { sql: string; params: string[] } {
  const params = equalledTexts(conditions)
  if (params.length === 0) return { sql: SHOWN_COLUMNS, params }
  const holds = params.map(() => database.contains('data')).join(' AND ')
  const data = `CASE WHEN ${holds} THEN data ELSE '${LEFT_UNREAD}' END AS data`
  return { sql: SHOWN_NAMES.map(name => (name === 'data' ? data : name)).join(', '), params }
}

const MOST_IDS_IN_SQL = 200

interface Bound {
  column: 'sort_key' | 'time_key'
  operator: '=' | '>=' | '>' | '<=' | '<'
  key: string
}

/** The SQL that excludes a source's hidden records where that is cheap. Every record is still checked completely. */
export function scopeOf(
  query: Pick<PageQuery, 'owner_id' | 'conditions'>,
  source: Source,
  implied: 'lower' | 'upper' | null = null,
): { sql: string[]; params: Value[] } {
  const sql = ['owner_id = ?', 'connection_id = ?', 'stream = ?', 'deleted = 0']
  const params: Value[] = [query.owner_id, source.connection_id, source.stream.name]
  const [clause] = source.clauses
  const only = source.clauses.length === 1 && clause ? clause : null
  const bounds = [...timeBounds(only, source), ...conditionBounds(query.conditions.get(source) ?? [], source)]
  for (const { column, operator, key } of bounds) {
    const side = operator === '=' ? null : operator.startsWith('<') ? 'upper' : 'lower'
    if (column === 'sort_key' && side !== null && side === implied) continue
    sql.push(`${column} ${operator} ?`)
    params.push(key)
  }
  if (only?.record_ids && only.record_ids.size <= MOST_IDS_IN_SQL) {
    const keys = [...only.record_ids].map(recordKey)
    sql.push(keys.length === 0 ? '1 = 0' : `record_key IN (${keys.map(() => '?').join(', ')})`)
    params.push(...keys)
  }
  return { sql, params }
}

/** The column that contains the time of a record. */
export function timeColumn({ stream }: Source): Bound['column'] {
  return timeField(stream) === stream.cursor_field ? 'sort_key' : 'time_key'
}

function timeBounds(clause: Clause | null, source: Source): Bound[] {
  const column = timeColumn(source)
  const bounds: Bound[] = []
  if (clause && clause.since !== null) bounds.push({ column, operator: '>=', key: clause.since })
  if (clause && clause.until !== null) bounds.push({ column, operator: '<', key: clause.until })
  return bounds
}

const OPERATORS = { eq: '=', gte: '>=', gt: '>', lte: '<=', lt: '<' } as const
const LONGEST_KEY_IN_SQL = 200

function conditionBounds(conditions: readonly CompiledCondition[], source: Source): Bound[] {
  if (!isOrdered(source)) return []
  return conditions.flatMap(condition =>
    'key' in condition &&
    condition.operator !== 'contains' &&
    condition.field === source.stream.cursor_field &&
    condition.key.length <= LONGEST_KEY_IN_SQL
      ? [{ column: 'sort_key', operator: OPERATORS[condition.operator], key: widestKey(condition) } as const]
      : [],
  )
}

/** Whether every record of a source is visible, so that stored counts can be used. */
export function isUnbounded(source: Source): boolean {
  return source.clauses.some(
    clause => clause.since === null && clause.until === null && clause.record_ids === null,
  )
}
