import { wordsOf } from '../../model/reading/role-test.ts'

/** A word must be at least this similar to be suggested. */
const ALIKE = 0.6
const MOST_CHARS = 60

/** The values whose words are most similar to those of a text, best first. */
export function nearestOf<Value extends { key: string }>(
  text: string,
  values: readonly Value[],
  most: number,
): Value[] {
  const asked = wordsOf(text.slice(0, MOST_CHARS))
  if (asked.length === 0) return []
  return values
    .map(value => ({ value, score: likeness(asked, wordsOf(value.key.slice(0, 2 * MOST_CHARS))) }))
    .filter(({ score }) => score >= ALIKE)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ value }) => value)
}

/** How many of the words are found among the others: 1 for all of them, 0 for none. */
function likeness(asked: readonly string[], own: readonly string[]): number {
  const best = asked.map(word => Math.max(0, ...own.map(other => wordLikeness(word, other))))
  return best.reduce((sum, each) => sum + each, 0) / asked.length
}

function wordLikeness(word: string, other: string): number {
  const [a, b] = [Array.from(word), Array.from(other)]
  const longest = Math.max(a.length, b.length)
  // The start of a name counts as much as a name with one wrong letter.
  if (Math.min(a.length, b.length) >= 3 && (word.startsWith(other) || other.startsWith(word))) return 0.9
  return longest === 0 ? 0 : 1 - distance(a, b) / longest
}

/** How many letters have to be added, removed or replaced. */
function distance(a: readonly string[], b: readonly string[]): number {
  let row = b.map((_, index) => index + 1)
  for (const [i, letter] of a.entries()) {
    let before = i
    let left = i + 1
    row = row.map((above, j) => {
      left = Math.min(above + 1, left + 1, before + (letter === b[j] ? 0 : 1))
      before = above
      return left
    })
  }
  return row.at(-1) ?? a.length
}
