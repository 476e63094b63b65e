import { bm25, type ClueFrequency } from '../../../model/search/bm25.ts'
import { MOST_RECORDS } from '../../../model/search/tuning.ts'
import type { Candidate } from '../finding/finder.ts'
import type { Ranker, RankingContext } from './ranker.ts'

/** Scores every row by how often it holds the clues and how rare those are. */
export const bm25Ranker: Ranker = {
  depth: Number.POSITIVE_INFINITY,
  score(ranked, context) {
    const candidates = ranked.map(({ candidate }) => candidate)
    return bm25(candidates, frequencies(candidates, context), context.population)
  },
}

/**
 * How many visible records hold each clue. If they were not counted, the share is estimated from rows that were not
 * chosen for the clue: the newest rows of the other common words, or else all candidates.
 */
function frequencies(
  candidates: readonly Candidate[],
  { clues, found, population }: RankingContext,
): ClueFrequency[] {
  return clues.map(({ stop, weight }, i) => {
    const counted = found.records[i]
    if (stop) return { weight: 0, records: population }
    if (counted !== null && counted !== undefined) return { weight, records: counted }
    const others = candidates.filter(({ row }) => (found.newestOf.get(row.row_id) ?? i) !== i)
    const sample = others.length > 0 ? others : candidates
    const holding = sample.filter(({ counts }) => (counts[i] ?? 0) > 0).length
    const share = holding / Math.max(1, sample.length)
    // A common word has at least as many records as its postings are capped at.
    const least = others.length > 0 ? MOST_RECORDS : holding
    return { weight, records: Math.min(population, Math.max(least, Math.round(share * population))) }
  })
}
