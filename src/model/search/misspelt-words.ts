import { type Clue, isFurther, type SearchQuery, wordClues } from './search-query.ts'

/** Weights are compared with this tolerance, because their sums are not exact. */
const LEAST_WEIGHT = 1e-6

/** A word of a query that no visible record contains, and the known word that was searched for instead, if any. */
export interface Correction {
  written: string
  taken: string | null
}

/** The clues without the weight that the further keys of a misspelt word added. Other words may have the same keys. */
function withoutFurther(
  clues: readonly Clue[],
  misspelt: readonly { clue: Clue & { kind: 'word' } }[],
): Clue[] {
  return clues.flatMap(clue => {
    if (clue.kind !== 'word' || !isFurther(clue)) return [clue]
    const own = misspelt.find(each => isFurther(each.clue) && each.clue.key === clue.key)
    const weight = clue.weight - (own?.clue.weight ?? 0)
    return weight > LEAST_WEIGHT ? [{ ...clue, weight }] : []
  })
}

/** The same query with known words in place of misspelt ones. */
export function withCorrections(query: SearchQuery, corrections: readonly Correction[]): SearchQuery {
  const { without, spelled } = query
  let { clues, words } = query
  for (const { written, taken } of corrections) {
    if (taken === null) continue
    const old = spelled.find(each => each.written === written)?.key
    const isOld = (clue: Clue) => clue.kind === 'word' && !isFurther(clue) && clue.key === old
    const weight = clues.find(isOld)?.weight ?? 1
    clues = withoutFurther(clues, wordClues(written, without))
    const found = wordClues(taken, without).map(({ clue }) => ({ ...clue, weight: clue.weight * weight }))
    const isNew = (clue: Clue) =>
      !clues.some(each => each.kind === 'word' && clue.kind === 'word' && each.key === clue.key)
    const plain = found.filter(clue => !isFurther(clue))
    const [key] = plain.map(clue => clue.key)
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
