/**
 * The word index has another column: the block that a row is in, of an owner's rows in their order. So a lookup in the
 * newest rows skips the postings of all others, instead of reading them.
 */
export const ROWS_OF_BLOCK = 4_096

/** As an array, because PostgreSQL's own index of words takes no plain value beside them. */
export const BLOCKS_OF_ROW = `ARRAY[owner_id || ':' || (row_id / ${ROWS_OF_BLOCK})::text]`

/** The blocks of the rows at or above one number and below another. */
export function blocksOf(owner_id: string, from: number, below: number): string[] {
  const first = blockOf(from)
  const count = Math.max(0, blockOf(below - 1) - first + 1)
  return Array.from({ length: count }, (_, n) => `${owner_id}:${first + n}`)
}

/** The first row of the block that a row is in. */
export function startOfBlock(row_id: number): number {
  return blockOf(row_id) * ROWS_OF_BLOCK
}

function blockOf(row_id: number): number {
  return Math.floor(Math.max(0, row_id) / ROWS_OF_BLOCK)
}
