import { rarityOf } from '../../../model/search/bm25.ts'
import type { Clue } from '../../../model/search/search-query.ts'
import { isUnspaced } from '../../../model/text/analyzer.ts'
import type { Candidate, Found } from '../finding/finder.ts'

/**
 * The weight of each clue. It depends on how many visible records contain it. If they were not counted, the share is
 * estimated from how far back they reach. Otherwise it is estimated from rows that were not chosen for the clue: the
 * newest rows of the other common words, or else all candidates.
 */
export function clueRarities(
  clues: readonly Clue[],
  candidates: readonly Candidate[],
  found: Found,
  population: number,
): number[] {
  return clues.map(({ stop, weight }, i) => {
    if (stop) return 0
    return weight * rarityOf(recordsHolding(i, candidates, found, population), population)
  })
}

/** The rarity of a word by itself. In scripts with spaces it may share its weight with its base form. */
export function ownRarity(clue: Clue & { kind: 'word' }, rarity: number): number {
  return isUnspaced(clue.key) ? rarity : rarity / Math.min(1, clue.weight)
}

function recordsHolding(
  i: number,
  candidates: readonly Candidate[],
  { records, shares, newestOf, most }: Found,
  population: number,
): number {
  const counted = records[i]
  if (counted !== null && counted !== undefined) return counted
  const reached = shares[i]
  if (reached !== null && reached !== undefined) return atLeast(most, reached, population)
  const others = candidates.filter(({ row }) => (newestOf.get(row.row_id) ?? i) !== i)
  const sample = others.length > 0 ? others : candidates
  const holding = sample.filter(({ counts }) => (counts[i] ?? 0) > 0).length
  const share = holding / Math.max(1, sample.length)
  // A common word has at least as many records as its postings are capped at.
  const least = others.length > 0 ? most : holding
  return atLeast(least, share, population)
}

function atLeast(least: number, share: number, population: number): number {
  return Math.min(population, Math.max(least, Math.round(share * population)))
}
