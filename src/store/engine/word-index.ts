/** A condition on the words of an index row. Words contain only letters and digits, or characters outside ASCII. */
export type WordExpression =
  | { word: string }
  | { prefix: string }
  | { all: readonly WordExpression[] }
  | { any: readonly WordExpression[] }

/** One index row as a set of words. */
export interface IndexedWords {
  row_id: number
  /** True for every row of a record except its first. */
  later: boolean
  time_key: string | null
  /** In UTF-8, separated by spaces. */
  words: Uint8Array
}

/** Where the rows of a record are. */
export interface RowSpan {
  first_row: number
  row_count: number
}

/** Row ids below one bound and at or above another; times at or after `since` and before `until`. */
export interface RowRange {
  below: number
  from?: number
  times?: { since: string; until: string } | null
  /** Which rows: the first ones of records, or the later ones of long records. */
  later?: boolean
}

/**
 * A boolean index of words: it finds rows, newest first, and does no ranking. The later rows of long records are in a
 * separate index, so that a long text does not slow down the search for other records.
 */
export interface WordLookup {
  /** The highest row ids that match within the range, in descending order. */
  match(owner_id: string, expression: WordExpression, range: RowRange, limit: number): Promise<number[]>
}

/** The index of words as it is written with the records. */
export interface WordIndex extends WordLookup {
  add(owner_id: string, rows: readonly IndexedWords[]): Promise<void>
  /** Merges a small part of the index while the writer is idle; true if nothing is left to merge. */
  tidy(): Promise<boolean>
  /** Removes the rows of records. */
  remove(owner_id: string, records: readonly RowSpan[]): Promise<void>
}

/** The tables of the index in both engines: first rows, and later ones. */
export const TOKEN_INDEXES = ['token_index', 'later_token_index'] as const

export function tokenIndex(later: boolean | undefined): string {
  return TOKEN_INDEXES[later ? 1 : 0]
}

/** Writes an expression in an engine's own notation. */
export function writeExpression(
  expression: WordExpression,
  notation: { word(word: string): string; prefix(word: string): string; and: string; or: string },
): string {
  if ('word' in expression) return notation.word(expression.word)
  if ('prefix' in expression) return notation.prefix(expression.prefix)
  const [parts, operator] =
    'all' in expression ? [expression.all, notation.and] : [expression.any, notation.or]
  return `(${parts.map(part => writeExpression(part, notation)).join(` ${operator} `)})`
}
