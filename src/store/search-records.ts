import type { Database } from './database.ts'
import { CONTENT_COLUMNS, type ContentRow, contentOf, type RecordContent } from './records.ts'
import type { RowPlace } from './search-scope.ts'
import { placeKey } from './search-sources.ts'

const RECORDS_AT_ONCE = 500

export function recordPlace(row: RowPlace): string {
  return `${placeKey(row.connection_id, row.stream)}:${row.record_key}`
}

/** The live records that rows belong to, by their place. */
export async function loadRecords(
  database: Database,
  owner_id: string,
  rows: readonly RowPlace[],
): Promise<Map<string, RecordContent>> {
  const found = await load<ContentRow>(database, owner_id, rows, CONTENT_COLUMNS)
  return new Map([...found].map(([place, row]) => [place, contentOf(row)]))
}

/** Only the JSON of the live records that rows belong to. */
export function loadData(
  database: Database,
  owner_id: string,
  rows: readonly RowPlace[],
): Promise<Map<string, Pick<ContentRow, 'data' | 'long_texts'>>> {
  return load(database, owner_id, rows, 'record_key, data, long_texts')
}

/** Where all index rows of the records are. */
export function loadRowSpans(
  database: Database,
  owner_id: string,
  rows: readonly RowPlace[],
): Promise<Map<string, { first_row: number; row_count: number }>> {
  return load(database, owner_id, rows, 'record_key, first_row, row_count')
}

async function load<Row extends object>(
  database: Database,
  owner_id: string,
  rows: readonly RowPlace[],
  columns: string,
): Promise<Map<string, Row>> {
  const loaded = new Map<string, Row>()
  const groups = Map.groupBy(rows, row => placeKey(row.connection_id, row.stream))
  await Promise.all(
    [...groups].map(async ([key, group]) => {
      const [first] = group
      if (!first) return
      const keys = [...new Set(group.map(row => row.record_key))]
      for (let i = 0; i < keys.length; i += RECORDS_AT_ONCE) {
        const found = await database.all<Row & { record_key: string }>(
          `SELECT ${columns} FROM records WHERE owner_id = ? AND connection_id = ? AND stream = ? AND deleted = 0
             AND ${database.oneOf('record_key', 'text')}`,
          [owner_id, first.connection_id, first.stream, database.list(keys.slice(i, i + RECORDS_AT_ONCE))],
        )
        for (const row of found) loaded.set(`${key}:${row.record_key}`, row)
      }
    }),
  )
  return loaded
}
