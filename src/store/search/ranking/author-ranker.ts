import { countPacked, hashOf, NO_HASH } from '../../../model/search/packed-counts.ts'
import { isFurther } from '../../../model/search/search-query.ts'
import { AUTHOR_ALONE, AUTHOR_AMONG_WORDS, LEAST_AUTHOR_SHARE } from '../../../model/search/tuning.ts'
import { ownRarity } from './clue-rarity.ts'
import type { Ranker } from './ranker.ts'

/** If the query names a person, ranks what that person wrote above what only mentions them. */
export const authorRanker: Ranker = {
  name: 'people',
  refinement: 'people',
  depth: Number.POSITIVE_INFINITY,
  score(ranked, { scope, clues, rarities }) {
    const isWord = clues.map(clue => clue.kind === 'word' && !clue.stop && !isFurther(clue))
    const hashes = clues.map((clue, i) => (isWord[i] && clue.kind === 'word' ? hashOf(clue.key) : NO_HASH))
    const own = clues.map((clue, i) => (clue.kind === 'word' ? ownRarity(clue, rarities[i] ?? 0) : 0))
    const counts = clues.map(() => 0)
    let isRaised = false
    const scores = ranked.map(({ candidate: { row, counts: held }, score }) => {
      if (!held.some((count, i) => count > 0 && isWord[i])) return score
      const weights = scope.open(row)?.authorWeights ?? []
      if (weights.length === 0) return score
      counts.fill(0)
      const length = countPacked(row.sections, hashes, weights, counts)
      const named = counts.filter(count => count > 0).length
      // One name alone may be another person's, or an ordinary word; two names identify a person.
      const share = named > 1 ? 1 : named / length
      if (named === 0 || share < LEAST_AUTHOR_SHARE) return score
      isRaised = true
      const isAlone = counts.every((count, i) => count > 0 || !isWord[i])
      const rarity = own.reduce((sum, each, i) => sum + ((counts[i] ?? 0) > 0 ? each : 0), 0)
      return score + (isAlone ? AUTHOR_ALONE : AUTHOR_AMONG_WORDS) * share * rarity
    })
    return isRaised ? scores : null
  },
}
