import type { Clue } from '../../model/search/search-query.ts'
import type { WordExpression } from '../engine/word-index.ts'
import { fieldWord } from './indexing.ts'

/** What the index must show for a clue: any open field with the word; a phrase needs each of its words. */
export function demands(clue: Clue, codes: readonly number[]): WordExpression[] {
  if (clue.kind === 'word') return [inAnyField([{ word: clue.key }], codes)]
  if (clue.kind === 'phrase') return [...new Set(clue.keys)].map(key => inAnyField([{ word: key }], codes))
  return [inAnyField([{ prefix: clue.key }, ...shorterStems(clue.key)], codes)]
}

const LONGEST_SUFFIX = 8
const SHORTEST_STEM = 3

/** Stems may be shorter than the beginning of a word, or end otherwise; the text decides. */
function shorterStems(key: string): ({ word: string } | { prefix: string })[] {
  const least = Math.max(SHORTEST_STEM, key.length - LONGEST_SUFFIX)
  const shorter = Array.from({ length: Math.max(0, key.length - least) }, (_, i) => key.slice(0, least + i))
  const respelled = key.endsWith('y') ? [{ prefix: `${key.slice(0, -1)}i` }] : []
  return [...respelled, ...shorter.flatMap(word => [{ word }, { word: `${word}e` }])]
}

function inAnyField(
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
