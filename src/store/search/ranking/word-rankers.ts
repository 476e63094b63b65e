import { bm25 } from '../../../model/search/bm25.ts'
import { countPacked, hashOf, NO_HASH } from '../../../model/search/packed-counts.ts'
import type { AskedTime } from '../../../model/search/query-dates.ts'
import { firstRow } from '../../../model/search/row-numbers.ts'
import {
  isFurther,
  isUnspacedWord,
  requiredClues,
  type SearchQuery,
  writtenClues,
} from '../../../model/search/search-query.ts'
import * as tuning from '../../../model/search/tuning.ts'
import { asksWhoSaid } from '../../../model/text/questions.ts'
import { ownRarity } from './clue-rarity.ts'
import type { Ranked, Ranker, RankingContext } from './ranker.ts'

/** Scores every row by how often it contains the clues and how rare they are. */
export const bm25Ranker: Ranker = {
  name: 'words',
  depth: Number.POSITIVE_INFINITY,
  score(ranked, { rarities, query }) {
    const candidates = ranked.map(({ candidate }) => candidate)
    return bm25(candidates, rarities, query.without.includes('length') ? tuning.BM25_BEFORE : tuning.BM25)
  },
}

/** Raises records whose title is the query, apart from a few more words such as "Re:". */
export const titleRanker: Ranker = {
  name: 'titles',
  refinement: 'titles',
  depth: Number.POSITIVE_INFINITY,
  async score(ranked, context) {
    const { scope, query } = context
    const hashes = [...new Set(query.words)].map(hashOf)
    const isLong = query.words.length >= tuning.LEAST_TITLE_SHARE_OF_WORDS.words
    const least = isLong ? tuning.LEAST_TITLE_SHARE_OF_WORDS.share : tuning.LEAST_TITLE_SHARE
    const likely = hashes.length === 0 ? [] : holdingAll(ranked, context)
    const firsts = await scope.firstsOf(likely.map(i => (ranked[i] as Ranked).candidate.row))
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
      if (length > 0 && share >= least && counts.every(count => count > 0)) raised.set(i, share * best)
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

/**
 * If the query names a person, ranks what that person wrote above what only mentions them, unless the query asks who said
 * something.
 */
export const authorRanker: Ranker = {
  name: 'people',
  refinement: 'people',
  depth: Number.POSITIVE_INFINITY,
  score(ranked, { query, scope, clues, rarities }) {
    if (!query.without.includes('asking') && asksWhoSaid(query.text)) return null
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
      if (named === 0 || share < tuning.LEAST_AUTHOR_SHARE) return score
      isRaised = true
      const isAlone = counts.every((count, i) => count > 0 || !isWord[i])
      const rarity = own.reduce((sum, each, i) => sum + ((counts[i] ?? 0) > 0 ? each : 0), 0)
      return score + (isAlone ? tuning.AUTHOR_ALONE : tuning.AUTHOR_AMONG_WORDS) * share * rarity
    })
    return isRaised ? scores : null
  },
}

/**
 * Whether all words of a query are meant. With stop words a query is a sentence: the answer to a question often lacks
 * some of its words. A date in the query is a time more often than a word, so a query with one is left to the ranker of
 * dates. A question in a script without spaces counts as one word, and hardly any text contains all of it.
 */
export function areAllMeant({ clues, runs }: SearchQuery, times: readonly AskedTime[]): boolean {
  const needed = requiredClues(clues)
  const words = runs + needed.filter(clue => !isUnspacedWord(clue)).length
  const areFew = needed.length > 1 && words <= tuning.MOST_WORDS_ALL_MEANT
  return areFew && !clues.some(({ stop }) => stop) && times.length === 0
}

/** Ranks records that contain all words of a short query above those that lack one. */
export const allWordsRanker: Ranker = {
  name: 'all words',
  refinement: 'all_words',
  depth: Number.POSITIVE_INFINITY,
  score(ranked, { query, times }) {
    if (!areAllMeant(query, times)) return null
    const best = ranked.reduce((most, { score }) => Math.max(most, score), 0)
    const holdsAll = holderOfAll(query)
    return ranked.map(each => (holdsAll(each) ? each.score + best : each.score))
  },
}

/** Whether a record contains a whole query. */
export function holderOfAll(query: SearchQuery): (ranked: Ranked) => boolean {
  const needed = writtenClues(query).map(clue => query.clues.indexOf(clue))
  return ({ candidate: { counts } }) => needed.every(i => (counts[i] ?? 0) > 0)
}
