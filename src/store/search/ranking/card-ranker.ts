import { countPacked, hashOf } from '../../../model/search/packed-counts.ts'
import { askedPerson } from '../../../model/search/person-details.ts'
import { LEAST_CARD_SHARE, MOST_CARDS } from '../../../model/search/tuning.ts'
import type { Ranker } from './ranker.ts'

/**
 * Ranks records that describe a person, such as contacts, first if the query is the person's name or asks for something
 * about that person: others contain "phone" and "John" more often than the contact that has the number.
 */
export const cardRanker: Ranker = {
  name: 'cards',
  refinement: 'cards',
  depth: Number.POSITIVE_INFINITY,
  score(ranked, { scope, clues }) {
    const asked = askedPerson(clues)
    if (!asked || !scope.sources.some(({ isCard }) => isCard)) return null
    const hashes = asked.names.map(hashOf)
    const shares = ranked.map(({ candidate: { row } }) => {
      const isCard = row.row_no === 0 && scope.sourceOf(row)?.isCard === true
      const weights = isCard ? scope.open(row)?.titleWeights : undefined
      if (!weights) return 0
      const counts = hashes.map(() => 0)
      const length = countPacked(row.sections, hashes, weights, counts)
      const share = counts.every(count => count > 0) ? hashes.length / length : 0
      return share < LEAST_CARD_SHARE ? 0 : share
    })
    const best = ranked.reduce((most, { score }) => Math.max(most, score), 0)
    const least = shares.toSorted((a, b) => b - a)[MOST_CARDS - 1] ?? 0
    const isRaised = (share: number) => share > 0 && share >= least
    return shares.some(isRaised)
      ? ranked.map(({ score }, i) => {
          const share = shares[i] ?? 0
          return isRaised(share) ? score + (1 + share) * best : score
        })
      : null
  },
}
