/**
 * The numbers of index rows. A record keeps the number of its first row until it is deleted, whatever changes in it.
 * Its later rows have numbers derived from it, in a separate range. So the order of rows shows when records were added,
 * but not when hidden data in them changed. When they came into view is in their histories.
 */
const FIRST_LATER = 2 ** 51
/** More rows than the largest record can have. */
const ROWS_OF_RECORD = 2 ** 17

/** The number of a record's row. */
export function rowId(first_row: number, row_no: number): number {
  return row_no === 0 ? first_row : FIRST_LATER + first_row * ROWS_OF_RECORD + row_no
}

/** The first row of the record that a row belongs to. */
export function firstRow({ row_id, row_no }: { row_id: number; row_no: number }): number {
  return row_no === 0 ? row_id : (row_id - FIRST_LATER - row_no) / ROWS_OF_RECORD
}

/** The same for a row of which only the number is known. */
export function firstRowOf(row_id: number): number {
  return row_id < FIRST_LATER ? row_id : Math.floor((row_id - FIRST_LATER) / ROWS_OF_RECORD)
}

/** The later rows of all records before this one have smaller numbers, its own have higher ones. */
export function laterBelow(first_row: number): number {
  return FIRST_LATER + first_row * ROWS_OF_RECORD
}
