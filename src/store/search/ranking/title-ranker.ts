import { countPacked, hashOf } from '../../../model/search/packed-counts.ts'
import { firstRow } from '../../../model/search/row-numbers.ts'
import { LEAST_TITLE_SHARE } from '../../../model/search/tuning.ts'
import type { Ranked, Ranker, RankingContext } from './ranker.ts'

/** Raises records whose title is the query, apart from a few more words such as "Re:". */
export const titleRanker: Ranker = {
  name: 'titles',
  refinement: 'titles',
  depth: Number.POSITIVE_INFINITY,
  async score(ranked, context) {
    const { scope, query } = context
    const hashes = [...new Set(query.words)].map(hashOf)
    const likely = hashes.length === 0 ? [] : holdingAll(ranked, context)
    const later = likely.map(i => (ranked[i] as Ranked).candidate.row).filter(row => row.row_no > 0)
    const firsts = new Map(
      (await scope.rows([...new Set(later.map(firstRow))])).map(row => [row.row_id, row]),
    )
    const best = ranked.reduce((most, { score }) => Math.max(most, score), 0)
    const raised = new Map<number, number>()
    const counts = hashes.map(() => 0)
    for (const i of likely) {
      const { row } = (ranked[i] as Ranked).candidate
      const weights = scope.open(row)?.titleWeights ?? []
      const sections = (row.row_no === 0 ? row : firsts.get(firstRow(row)))?.sections ?? ''
      counts.fill(0)
      const length = countPacked(sections, hashes, weights, counts)
      const share = query.words.length / Math.max(query.words.length, length)
      if (length > 0 && share >= LEAST_TITLE_SHARE && counts.every(count => count > 0))
        raised.set(i, share * best)
    }
    return raised.size === 0 ? null : ranked.map(({ score }, i) => score + (raised.get(i) ?? 0))
  },
}

/** The records that contain every counted word of the query somewhere. */
function holdingAll(ranked: readonly Ranked[], { query, clues }: RankingContext): number[] {
  const words = new Set(query.words)
  const needed = [...clues.keys()].filter(i => {
    const clue = clues[i]
    return clue?.kind === 'word' && !clue.stop && words.has(clue.key)
  })
  return [...ranked.keys()].filter(i => {
    const counts = ranked[i]?.candidate.counts ?? []
    return needed.every(clue => (counts[clue] ?? 0) > 0)
  })
}
