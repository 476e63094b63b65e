import type { Database } from '../../engine/database.ts'
import type { RowRange, WordExpression } from '../../engine/word-index.ts'
import { ReadRows } from '../read-rows.ts'

interface Matched {
  ids: readonly number[]
  isWhole: boolean
}

/**
 * What one request has found in the index of words, whoever may see it. What was found once need not be found again: to
 * count the matches of a word a search continues where it ended when it looked for the best of them, and a phrase that
 * no record holds has the same rows as its words.
 */
export class MatchedRows {
  readonly #owner_id: string
  readonly #matched = new Map<string, Matched>()
  /** The rows themselves, as far as they were read. */
  readonly read: ReadRows

  constructor(owner_id: string) {
    this.#owner_id = owner_id
    this.read = new ReadRows(owner_id)
  }

  /** Rows of the index, newest first. */
  async match(
    database: Database,
    expression: WordExpression,
    range: RowRange,
    limit: number,
  ): Promise<readonly number[]> {
    const key = keyOf(expression, range)
    const { ids: known, isWhole } = this.#matched.get(key) ?? { ids: [], isWhole: false }
    if (isWhole || known.length >= limit) return known.slice(0, limit)
    const below = known.at(-1) ?? range.below
    const rest = await database.words.match(
      this.#owner_id,
      expression,
      { ...range, below },
      limit - known.length,
    )
    const ids = known.length === 0 ? rest : [...known, ...rest]
    this.#matched.set(key, { ids, isWhole: ids.length < limit })
    return ids
  }
}

/** Words that must all be there have the same rows in whatever order. */
function keyOf(
  expression: WordExpression,
  { below, from = 0, times = null, later = false }: RowRange,
): string {
  const words =
    'all' in expression
      ? expression.all.map(part => JSON.stringify(part)).sort()
      : [JSON.stringify(expression)]
  return JSON.stringify([words, below, from, times, later])
}
