import type { AskedTime } from '../../../model/search/query-dates.ts'
import type { Clue } from '../../../model/search/search-query.ts'
import { DATE_SHARE, DATE_WORD_WEIGHT } from '../../../model/search/tuning.ts'
import type { Candidate } from '../finding/finder.ts'
import type { SearchScope } from '../search-scope.ts'
import type { Ranker } from './ranker.ts'

/** Raises records from a time that the query names. The date is a reason for the rank, not a match. */
export const dateRanker: Ranker = {
  name: 'dates',
  refinement: 'dates',
  depth: Number.POSITIVE_INFINITY,
  score(ranked, { scope, times }) {
    if (times.length === 0) return null
    const best = Math.max(0, ...ranked.map(({ score }) => score))
    return ranked.map(({ candidate, score }) =>
      isOf(times, candidate, scope) ? score + DATE_SHARE * best : score,
    )
  },
}

/**
 * The clues with less weight for the words of times that records were found of. If there are no such records, or no other
 * words, the words are what is asked for.
 */
export function withTimesAsReasons(
  clues: readonly Clue[],
  candidates: readonly Candidate[],
  scope: SearchScope,
  times: readonly AskedTime[],
): readonly Clue[] {
  const words = new Set(times.flatMap(time => time.words))
  const isOfTime = (clue: Clue) => clue.kind === 'word' && words.has(clue.key)
  if (clues.every(clue => clue.stop || isOfTime(clue))) return clues
  if (!candidates.some(candidate => isOf(times, candidate, scope))) return clues
  return clues.map(clue => (isOfTime(clue) ? { ...clue, weight: clue.weight * DATE_WORD_WEIGHT } : clue))
}

function isOf(times: readonly AskedTime[], { row }: Candidate, scope: SearchScope): boolean {
  const time = scope.visibleTime(row)
  return time !== null && times.some(({ since, until }) => time >= since && time < until)
}
