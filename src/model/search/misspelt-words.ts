import { type Clue, isFurther, type SearchQuery, wordClues } from './search-query.ts'

/** A word of a query that no visible record holds, and the known one that was searched for in its place. */
export interface Correction {
  written: string
  taken: string
}

/** The same query with known words in place of misspelt ones. */
export function withCorrections(query: SearchQuery, corrections: readonly Correction[]): SearchQuery {
  const { without, spelled } = query
  let { clues, words } = query
  for (const { written, taken } of corrections) {
    const old = spelled.find(each => each.written === written)?.key
    const isOld = (clue: Clue) => clue.kind === 'word' && !isFurther(clue) && clue.key === old
    const weight = clues.find(isOld)?.weight ?? 1
    const found = wordClues(taken, without).map(({ clue }) => ({ ...clue, weight: clue.weight * weight }))
    const isNew = (clue: Clue) =>
      !clues.some(each => each.kind === 'word' && clue.kind === 'word' && each.key === clue.key)
    const plain = found.filter(clue => !isFurther(clue))
    const [key] = plain.map(clue => clue.key)
    // What is left of the misspelt word are its beginnings and other forms, which find words like it.
    clues = [
      ...clues.filter(clue => !isOld(clue) && !isFurther(clue)),
      ...plain.filter(isNew),
      ...clues.filter(isFurther),
      ...found.filter(isFurther).filter(isNew),
    ]
    words = words.map(word => (word === old ? (key ?? word) : word))
  }
  return { ...query, clues, words }
}
