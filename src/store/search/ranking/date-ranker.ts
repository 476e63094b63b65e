import { DATE_SHARE } from '../../../model/search/tuning.ts'
import type { Ranker } from './ranker.ts'

/** Raises records from a time that the query names. The date is a reason for the rank, not a match. */
export const dateRanker: Ranker = {
  name: 'dates',
  refinement: 'dates',
  depth: Number.POSITIVE_INFINITY,
  score(ranked, { scope, times }) {
    if (times.length === 0) return null
    const best = Math.max(0, ...ranked.map(({ score }) => score))
    return ranked.map(({ candidate: { row }, score }) => {
      const time = scope.visibleTime(row)
      const isAsked = time !== null && times.some(({ since, until }) => time >= since && time < until)
      return isAsked ? score + DATE_SHARE * best : score
    })
  },
}
