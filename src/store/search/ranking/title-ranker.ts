import { countPacked, hashOf } from '../../../model/search/packed-counts.ts'
import { firstRow } from '../../../model/search/row-numbers.ts'
import { LEAST_TITLE_SHARE } from '../../../model/search/tuning.ts'
import type { Ranker } from './ranker.ts'

/** Raises records whose title is what was asked for, apart from a few more words such as "Re:". */
export const titleRanker: Ranker = {
  name: 'titles',
  refinement: 'titles',
  depth: Number.POSITIVE_INFINITY,
  async score(ranked, { scope, query }) {
    const scores = ranked.map(({ score }) => score)
    const best = Math.max(0, ...scores)
    const hashes = [...new Set(query.words)].map(hashOf)
    if (hashes.length === 0) return scores
    const later = ranked.map(({ candidate }) => candidate.row).filter(row => row.row_no > 0)
    const firsts = new Map(
      (await scope.rows([...new Set(later.map(firstRow))])).map(row => [row.row_id, row]),
    )
    return ranked.map(({ candidate: { row }, score }) => {
      const weights = scope.open(row)?.titleWeights ?? []
      const sections = (row.row_no === 0 ? row : firsts.get(firstRow(row)))?.sections ?? ''
      const counts = hashes.map(() => 0)
      const length = countPacked(sections, hashes, weights, counts)
      const share = query.words.length / Math.max(query.words.length, length)
      const isAsked = length > 0 && share >= LEAST_TITLE_SHARE && counts.every(count => count > 0)
      return isAsked ? score + share * best : score
    })
  },
}
