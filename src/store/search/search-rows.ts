import type { Database } from '../engine/database.ts'

/** An index row and its number within its record: 0 is the first. */
export interface RowNumber {
  row_id: number
  row_no: number
}

/** An index row without its counts. */
export interface RowPlace extends RowNumber {
  connection_id: string
  stream: string
  record_key: string
  time_key: string | null
}

/** The packed counts of an index row. */
export interface RowCounts {
  row_id: number
  sections: string
}

export interface IndexedRow extends RowPlace, RowCounts {}

const ROWS_AT_ONCE = 1_000

export const PLACES = 'SELECT row_id, connection_id, stream, record_key, row_no, time_key FROM search_rows'
export const COUNTS = 'SELECT row_id, sections FROM search_counts'

/** Reads `PLACES` or `COUNTS` by their ids. */
export async function loadRows<Row extends RowPlace | RowCounts = RowPlace>(
  database: Database,
  owner_id: string,
  select: string,
  row_ids: readonly number[],
): Promise<Row[]> {
  const rows: Row[] = []
  const sql = `${select} WHERE owner_id = ? AND ${database.oneOf('row_id', 'bigint')}`
  for (let i = 0; i < row_ids.length; i += ROWS_AT_ONCE) {
    const part = database.list(row_ids.slice(i, i + ROWS_AT_ONCE))
    for (const row of await database.all<Row>(sql, [owner_id, part])) rows.push(row)
  }
  return rows
}

export function newestFirst<Row extends RowNumber>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => b.row_id - a.row_id)
}

export function placeKey(connection_id: string, stream: string): string {
  return `${connection_id}/${stream}`
}

export function recordPlace(row: Pick<RowPlace, 'connection_id' | 'stream' | 'record_key'>): string {
  return `${placeKey(row.connection_id, row.stream)}:${row.record_key}`
}
