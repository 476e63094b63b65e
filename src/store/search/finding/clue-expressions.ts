import type { Clue } from '../../../model/search/search-query.ts'
import { LONGEST_SUFFIX, SHORTEST_STEM } from '../../../model/search/tuning.ts'
import { fieldWord } from '../../analysis/analysed-rows.ts'
import type { WordExpression } from '../../engine/word-index.ts'

/** What a row must contain for a clue, in any open field; a phrase needs each of its words. */
export function expressionsOf(clue: Clue, codes: readonly number[]): WordExpression[] {
  if (clue.kind === 'word') return [inAnyField([{ word: clue.key }], codes)]
  if (clue.kind === 'phrase') return [...new Set(clue.keys)].map(key => inAnyField([{ word: key }], codes))
  return [inAnyField([{ prefix: clue.key }, ...shorterStems(clue.key)], codes)]
}

/** The stem of a word may be shorter than the prefix, or end differently. The text decides. */
function shorterStems(key: string): ({ word: string } | { prefix: string })[] {
  const least = Math.max(SHORTEST_STEM, key.length - LONGEST_SUFFIX)
  const shorter = Array.from({ length: Math.max(0, key.length - least) }, (_, i) => key.slice(0, least + i))
  const respelled = key.endsWith('y') ? [{ prefix: `${key.slice(0, -1)}i` }] : []
  return [...respelled, ...shorter.flatMap(word => [{ word }, { word: `${word}e` }])]
}

/** One of the words or prefixes, in any of the fields. */
export function inAnyField(
  words: ({ word: string } | { prefix: string })[],
  codes: readonly number[],
): WordExpression {
  return {
    any: codes.flatMap(code =>
      words.map(each =>
        'word' in each ? { word: fieldWord(code, each.word) } : { prefix: fieldWord(code, each.prefix) },
      ),
    ),
  }
}
