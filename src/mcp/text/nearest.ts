import { wordsOf } from '../../model/reading/role-test.ts'
import { quotedHead } from './quote.ts'

/** A word must be at least this similar to be suggested. */
const ALIKE = 0.65
const MOST_CHARS = 60

export const MOST_NEAREST = 3
export const VALUE_BYTES = 60

/** A value of a field, and how many records have it. */
export interface Value {
  key: string
  count: number
}

export function nearestText(text: string, values: readonly Value[]): string {
  const nearest = nearestOf(text, values, MOST_NEAREST)
  return nearest.length === 0 ? '' : ` Nearest: ${valuesText(nearest)}.`
}

export function valuesText(values: readonly Value[]): string {
  return values.map(({ key, count }) => `${quotedHead(key, VALUE_BYTES)} (${count})`).join(', ')
}

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

/** How many letters have to be added, removed, replaced or swapped with their neighbour. */
function distance(a: readonly string[], b: readonly string[]): number {
  const rows = [[...b.map((_, index) => index), b.length]]
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped))
    }
  }
  return at(a.length, b.length)
}
