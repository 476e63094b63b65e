import { isFurther } from '../../../model/search/search-query.ts'
import { MOST_WORDS_ALL_MEANT } from '../../../model/search/tuning.ts'
import type { Ranker } from './ranker.ts'

/**
 * Ranks records that contain all words of a short query above those that lack one. With stop words a query is a
 * sentence: the answer to a question often lacks some of its words. A date in the query is a time more often than a
 * word, so a query with one is left to the ranker of dates.
 */
export const allWordsRanker: Ranker = {
  name: 'all words',
  refinement: 'all_words',
  depth: Number.POSITIVE_INFINITY,
  score(ranked, { clues, times }) {
    const needed = [...clues.keys()].filter(i => {
      const clue = clues[i]
      return clue !== undefined && !clue.stop && !isFurther(clue)
    })
    const isSentence = clues.some(({ stop }) => stop)
    if (needed.length < 2 || needed.length > MOST_WORDS_ALL_MEANT || isSentence || times.length > 0)
      return null
    const best = ranked.reduce((most, { score }) => Math.max(most, score), 0)
    return ranked.map(({ candidate: { counts }, score }) =>
      needed.every(i => (counts[i] ?? 0) > 0) ? score + best : score,
    )
  },
}
