/** A condition on the words of an index row. Words hold letters and digits only, or what is not ASCII. */
export type TokenExpression =
  | { word: string }
  | { prefix: string }
  | { all: readonly TokenExpression[] }
  | { any: readonly TokenExpression[] }

export interface TokenRow {
  row_id: number
  /** Whether it is another row of its record than the first. */
  later: boolean
  time_key: string | null
  words: readonly string[]
}

/** Row ids below a bound and not below another; times not before `since` and before `until`. */
export interface TokenRange {
  below: number
  from?: number
  times?: { since: string; until: string } | null
  /** Which rows: the first ones of records, or the later ones of long records. */
  later?: boolean
}

/**
 * A boolean index of words: it finds rows, newest first, and knows nothing of ranking. The later rows of long records
 * are kept apart, so that a long text stands in the way of no other record.
 */
export interface TokenIndex {
  add(rows: readonly TokenRow[]): Promise<void>
  /** Does a small part of what keeps the index fast, when there is nothing else to do; true when nothing is left. */
  tidy(): Promise<boolean>
  /** Removes the rows of a record, from its `first` up to but not including `end`. */
  remove(first: number, end: number): Promise<void>
  /** The highest row ids that match within the range, in descending order. */
  match(expression: TokenExpression, range: TokenRange, limit: number): Promise<number[]>
}

/** Writes an expression in an engine's own notation. */
export function writeExpression(
  expression: TokenExpression,
  notation: { word(word: string): string; prefix(word: string): string; and: string; or: string },
): string {
  if ('word' in expression) return notation.word(expression.word)
  if ('prefix' in expression) return notation.prefix(expression.prefix)
  const [parts, operator] =
    'all' in expression ? [expression.all, notation.and] : [expression.any, notation.or]
  return `(${parts.map(part => writeExpression(part, notation)).join(` ${operator} `)})`
}
