import { type PieceText, wordsOf } from '../../../model/search/index-rows.ts'
import { bestSpans, createMatcher } from '../../../model/search/match-windows.ts'
import { initialsOf } from '../../../model/search/search-query.ts'
import * as tuning from '../../../model/search/tuning.ts'
import { textsOfRows } from '../searched-texts.ts'
import type { Ranked, Ranker, RankingContext } from './ranker.ts'

/**
 * A long text often contains the words of a query in places that have nothing to do with each other. It counts less, the
 * less of what it contains is in one passage.
 */
export const passageRanker: Ranker = {
  name: 'passages',
  refinement: 'passages',
  depth: tuning.MOST_READ_FOR_PASSAGES,
  async score(ranked, context) {
    const { scope, rarities } = context
    const mayScatter = ({ candidate: { counts, length } }: Ranked) =>
      length >= tuning.WORDS_OF_LONG_TEXT && counts.filter((count, i) => count > 0 && rarities[i]).length > 1
    const likely = [...ranked.keys()].filter(i => mayScatter(ranked[i] as Ranked))
    if (likely.length === 0) return null
    const shareOf = shareInOnePassage(context)
    const scores = ranked.map(({ score }) => score)
    const rows = likely.map(i => (ranked[i] as Ranked).candidate.row)
    await scope.attempt(0.3, async () => {
      for await (const { n, texts } of textsOfRows(scope, rows)) {
        const i = likely[n] as number
        scores[i] = (scores[i] as number) * (1 - tuning.SCATTERED_SHARE * (1 - shareOf(texts)))
      }
    })
    return scores
  },
}

/** The worth of the words in the best passage, as a share of all in the texts. Short texts, such as titles, are in every passage. */
function shareInOnePassage({ clues, rarities }: RankingContext): (texts: readonly PieceText[]) => number {
  const initials = initialsOf(clues)
  const findMatches = createMatcher(clues)
  return texts => {
    const found = texts.map(piece => {
      const { own, neighbours } = wordsOf(piece, initials)
      return findMatches(piece.text, [...own, ...neighbours])
    })
    const isShort = (i: number) => (texts[i]?.text.length ?? 0) <= tuning.PASSAGE_REACH
    const worthOf = (some: ReadonlySet<number>) =>
      rarities.reduce((sum, rarity, clue) => sum + (some.has(clue) ? rarity : 0), 0)
    const all = new Set(found.flatMap(matches => matches.map(({ clue }) => clue)))
    const everywhere = new Set(
      found.flatMap((matches, i) => (isShort(i) ? matches.map(({ clue }) => clue) : [])),
    )
    const elsewhere = rarities.map((rarity, clue) => (everywhere.has(clue) ? 0 : rarity))
    const best = found.map(matches => bestSpans(matches, tuning.PASSAGE_REACH, 1, elsewhere)[0]?.worth ?? 0)
    const total = worthOf(all)
    return total === 0 ? 1 : Math.min(1, (worthOf(everywhere) + Math.max(0, ...best)) / total)
  }
}
