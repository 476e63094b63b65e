import { placeKey } from '../../model/access/enforce.ts'
import type { ConversationPlace } from '../../model/declaration/conversation.ts'
import { isObject, type JsonObject, parseJson } from '../../model/json.ts'
import { type CompiledCondition, passes } from '../../model/reading/filter.ts'
import type { Value, View } from '../engine/database.ts'
import {
  CONTENT_COLUMNS,
  type ContentRow,
  contentOf,
  equalledTexts,
  longTextsOf,
  type RecordContent,
} from '../records/records.ts'
import { type RowPlace, recordPlace } from './search-rows.ts'

const RECORDS_AT_ONCE = 500
const PARTS_AT_ONCE = 8

/** The most records that a search keeps in memory. */
const MOST_KEPT = 200

/** The records that a search reads. Those that it ranks by their texts are also those that it shows. */
export class ReadRecords {
  readonly #kept = new Map<string, RecordContent>()

  /** The live records that rows belong to, by their place. */
  async of(
    database: View,
    owner_id: string,
    rows: readonly RowPlace[],
  ): Promise<ReadonlyMap<string, RecordContent>> {
    const missing = rows.filter(row => !this.#kept.has(recordPlace(row)))
    if (missing.length === 0) return this.#kept
    const loaded = await loadRecords(database, owner_id, missing)
    if (this.#kept.size + loaded.size > MOST_KEPT) return new Map([...this.#kept, ...loaded])
    for (const [place, record] of loaded) this.#kept.set(place, record)
    return this.#kept
  }

  /** Keeps a record that will probably be needed again, if there is room. */
  keep(place: string, record: RecordContent): void {
    if (this.#kept.size < MOST_KEPT) this.#kept.set(place, record)
  }
}

/** The live records that rows belong to, by their place. */
export async function loadRecords(
  database: View,
  owner_id: string,
  rows: readonly RowPlace[],
): Promise<Map<string, RecordContent>> {
  const found = await load<ContentRow>(database, owner_id, rows, CONTENT_COLUMNS)
  return new Map([...found].map(([place, row]) => [place, contentOf(row)]))
}

export type RecordData = Pick<ContentRow, 'data' | 'long_texts'>

/** Only the JSON of the rows' live records that may pass a filter. */
export function loadData(
  database: View,
  owner_id: string,
  rows: readonly RowPlace[],
  conditionsOf: (row: RowPlace) => readonly CompiledCondition[],
): Promise<Map<string, RecordData>> {
  return load(database, owner_id, rows, 'record_key, data, long_texts', place => {
    const params = equalledTexts(conditionsOf(place))
    return { sql: params.map(() => `AND ${database.contains('data')}`).join(' '), params }
  })
}

/** Where all index rows of the records are. */
export function loadRowSpans(
  database: View,
  owner_id: string,
  rows: readonly RowPlace[],
): Promise<Map<string, { first_row: number; row_count: number }>> {
  return load(database, owner_id, rows, 'record_key, first_row, row_count')
}

/** What is known of the changes of those records that changed after some change of their stream. */
export function loadChanged(
  database: View,
  owner_id: string,
  rows: readonly RowPlace[],
  after: (row: RowPlace) => number,
): Promise<Map<string, { seq: number; history: string | null }>> {
  return load(database, owner_id, rows, 'record_key, seq, history', row => ({
    sql: 'AND seq > ?',
    params: [after(row)],
  }))
}

/** The places of those records that are in a conversation. */
export function loadPlaces(
  database: View,
  owner_id: string,
  rows: readonly RowPlace[],
): Promise<Map<string, ConversationPlace>> {
  const columns = 'record_key, thread_key, place_key, order_key'
  const isPlaced = { sql: 'AND (thread_key IS NOT NULL OR place_key IS NOT NULL)', params: [] }
  return load(database, owner_id, rows, columns, () => isPlaced)
}

/** One statement reads the records of several streams, because each statement takes a round trip. */
async function load<Row extends object>(
  database: View,
  owner_id: string,
  rows: readonly RowPlace[],
  columns: string,
  narrowed: (place: RowPlace) => { sql: string; params: readonly Value[] } = () => ({ sql: '', params: [] }),
): Promise<Map<string, Row>> {
  const select = `SELECT connection_id, stream, ${columns} FROM records WHERE owner_id = ? AND connection_id = ?
    AND stream = ? AND deleted = 0 AND ${database.oneOf('record_key', 'text')}`
  const loaded = new Map<string, Row>()
  const parts = partsOf(rows)
  for (let i = 0; i < parts.length; i += PARTS_AT_ONCE) {
    const some = parts.slice(i, i + PARTS_AT_ONCE).map(part => ({ ...part, ...narrowed(part.place) }))
    const params = some.flatMap(({ place, keys, params }) => [
      owner_id,
      place.connection_id,
      place.stream,
      database.list(keys),
      ...params,
    ])
    const sql = some.map(({ sql }) => `${select} ${sql}`).join(' UNION ALL ')
    const found = await database.all<Row & RowPlace>(sql, params)
    for (const row of found) loaded.set(recordPlace(row), row)
  }
  return loaded
}

/** The keys of the records, by stream, in parts of bounded size. */
function partsOf(rows: readonly RowPlace[]): { place: RowPlace; keys: string[] }[] {
  const groups = Map.groupBy(rows, row => placeKey(row.connection_id, row.stream))
  return [...groups.values()].flatMap(group => {
    const keys = [...new Set(group.map(row => row.record_key))]
    const count = Math.ceil(keys.length / RECORDS_AT_ONCE)
    return Array.from({ length: count }, (_, n) => ({
      place: group[0] as RowPlace,
      keys: keys.slice(n * RECORDS_AT_ONCE, (n + 1) * RECORDS_AT_ONCE),
    }))
  })
}

/** Whether the visible part of a record (null means all of it) passes a filter; hidden fields are ignored. */
export function passesFilter(
  conditions: readonly CompiledCondition[],
  record: RecordData,
  visible: ReadonlySet<string> | null,
): boolean {
  const open = visible === null ? conditions : visibleConditions(conditions, visible)
  if (open === null) return false
  return passes(open, dataOf(record), longTextsOf(record))
}

export function dataOf({ data }: Pick<RecordData, 'data'>): JsonObject {
  const parsed = parseJson(data)
  return isObject(parsed) ? parsed : {}
}

/** The conditions for a record with these visible fields; null if one of them examines a hidden field. */
function visibleConditions(
  conditions: readonly CompiledCondition[],
  visible: ReadonlySet<string>,
): CompiledCondition[] | null {
  const open = conditions.map(condition =>
    'test' in condition
      ? { ...condition, fields: condition.fields.filter(field => visible.has(field)) }
      : visible.has(condition.field) && condition,
  )
  return open.every(condition => condition !== false) ? open : null
}
