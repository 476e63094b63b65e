import type { RowRange, WordExpression } from '../../engine/word-index.ts'

/**
 * How many words are looked up at once, and among how many rows. A lookup cannot be interrupted: with more words it
 * would keep others waiting, and nearly always no row is left after the first few.
 */
const WORDS_AT_ONCE = 16
const WIDEST_LOOKUP = 10_000

/** Looks up rows by their numbers, highest first. */
export type LookUp = (
  expression: WordExpression,
  range: RowRange,
  limit: number,
) => Promise<readonly number[]>

export function partsOf(words: readonly WordExpression[]): WordExpression[][] {
  const count = Math.ceil(words.length / WORDS_AT_ONCE)
  return Array.from({ length: count }, (_, n) => words.slice(n * WORDS_AT_ONCE, (n + 1) * WORDS_AT_ONCE))
}

/** Which of the rows contain the words of each part according to the index, in the order given. */
export async function holdingToo(
  lookUp: LookUp,
  rows: readonly number[],
  parts: readonly (readonly WordExpression[])[],
): Promise<readonly number[]> {
  if (parts.length === 0) return rows
  let left = rows.toSorted((a, b) => b - a)
  for (const all of parts) {
    const held: number[] = []
    for (let i = 0; i < left.length; ) {
      const highest = left[i] as number
      const near: number[] = []
      while (highest - (left[i] ?? Number.NEGATIVE_INFINITY) < WIDEST_LOOKUP) near.push(left[i++] as number)
      const range = { below: highest + 1, from: near.at(-1) ?? highest }
      const holding = new Set(await lookUp({ all }, range, WIDEST_LOOKUP))
      for (const row_id of near) if (holding.has(row_id)) held.push(row_id)
    }
    left = held
  }
  const held = new Set(left)
  return rows.filter(row_id => held.has(row_id))
}
