import { type PieceText, wordsOf } from '../../../model/search/index-rows.ts'
import { type Clue, isFurther } from '../../../model/search/search-query.ts'
import {
  CLOSENESS_WEIGHT,
  IDEOGRAPHS_CLOSENESS_WEIGHT,
  MOST_READ_CLOSELY,
  SYLLABLES_CLOSENESS_WEIGHT,
  WIDEST_PAIR_GAP,
} from '../../../model/search/tuning.ts'
import { analyze, markInitials, type Word } from '../../../model/text/analyzer.ts'
import { isStopKey } from '../../../model/text/word-keys.ts'
import type { IndexedRow } from '../search-rows.ts'
import { textsOfRows } from '../searched-texts.ts'
import { ownRarity } from './clue-rarity.ts'
import type { Ranked, Ranker, RankingContext } from './ranker.ts'

/**
 * Two words that are next to each other in the query, ignoring stop words, and the score if they are neighbours in a
 * text.
 */
interface Pair {
  first: string
  second: string
  clues: [number, number]
  worth: number
}

const IDEOGRAPHS = /^\p{Script=Han}+$/u
/** Texts that are read at once. */
const AT_ONCE = 25

/** Raises texts in which words of the query are neighbours, as they are in the query. */
export const closenessRanker: Ranker = {
  name: 'closeness',
  refinement: 'closeness',
  depth: MOST_READ_CLOSELY,
  async score(ranked, context) {
    const scores = ranked.map(({ score }) => score)
    const pairs = pairsOf(context)
    const held = ranked.map(each => pairs.filter(pair => holds(each, pair)))
    const highest = held.map((pairs, i) => (scores[i] ?? 0) + worthOf(pairs))
    const likely = [...held.keys()].filter(i => held[i]?.length !== 0)
    if (likely.length === 0) return null
    likely.sort((a, b) => (highest[b] ?? 0) - (highest[a] ?? 0) || a - b)
    await context.scope.attempt(0.3, async () => {
      for (let next = 0; next < likely.length; next += AT_ONCE) {
        // Rows that cannot reach the wanted records, however close their words are, need not be read.
        const least = best(scores, context.wanted)
        const some = likely.slice(next, next + AT_ONCE).filter(i => (highest[i] ?? 0) >= least)
        if (some.length === 0) break
        const rows = some.map(i => (ranked[i] as Ranked).candidate.row)
        const raised = await closeness(
          context,
          rows,
          some.map(i => held[i] ?? []),
        )
        for (const [n, i] of some.entries()) scores[i] = (scores[i] ?? 0) + (raised[n] ?? 0)
      }
    })
    return scores
  },
}

function holds({ candidate: { counts } }: Ranked, { clues: [a, b] }: Pair): boolean {
  return (counts[a] ?? 0) > 0 && (counts[b] ?? 0) > 0
}

function worthOf(pairs: readonly Pair[]): number {
  return pairs.reduce((sum, { worth }) => sum + worth, 0)
}

/** The lowest of the wanted scores. */
function best(scores: readonly number[], wanted: number): number {
  return scores.toSorted((a, b) => b - a)[wanted - 1] ?? Number.NEGATIVE_INFINITY
}

/** The score of each row for the pairs that are neighbours in its visible texts. */
async function closeness(
  context: RankingContext,
  rows: readonly IndexedRow[],
  pairs: readonly (readonly Pair[])[],
): Promise<number[]> {
  const raised = rows.map(() => 0)
  for await (const { n, texts } of textsOfRows(context.scope, rows))
    raised[n] = worthOf(closePairs(texts, pairs[n] ?? []))
  return raised
}

function pairsOf({ query, clues, rarities }: RankingContext): Pair[] {
  const clueOf = new Map(
    clues.flatMap((clue, i) =>
      isContent(clue) ? [[clue.key, { i, rarity: ownRarity(clue, rarities[i] ?? 0) }] as const] : [],
    ),
  )
  const words = query.words.filter(word => clueOf.has(word))
  const syllables = vietnameseSyllables(clues)
  const pairs = new Map<string, Pair>()
  for (const [n, second] of words.entries()) {
    const first = words[n - 1]
    const [one, other] = [clueOf.get(first ?? ''), clueOf.get(second)]
    if (first === undefined || first === second || !one || !other) continue
    const worth = weightOf(first, second, syllables) * Math.min(one.rarity, other.rarity)
    if (worth > 0) pairs.set(`${first} ${second}`, { first, second, clues: [one.i, other.i], worth })
  }
  return [...pairs.values()]
}

/** Only Vietnamese syllables have keys with their accents. */
function vietnameseSyllables(clues: readonly Clue[]): Set<string> {
  return new Set(
    clues.flatMap(clue => (clue.kind === 'word' && clue.further === 'accents' ? (clue.of ?? []) : [])),
  )
}

function weightOf(first: string, second: string, syllables: ReadonlySet<string>): number {
  if (syllables.has(first) && syllables.has(second)) return SYLLABLES_CLOSENESS_WEIGHT
  return IDEOGRAPHS.test(first + second) ? IDEOGRAPHS_CLOSENESS_WEIGHT : CLOSENESS_WEIGHT
}

function isContent(clue: Clue): clue is Clue & { kind: 'word' } {
  return clue.kind === 'word' && !clue.stop && !isFurther(clue)
}

function closePairs(pieces: readonly PieceText[], pairs: readonly Pair[]): Pair[] {
  const initials = markInitials(pairs.flatMap(({ first, second }) => [first, second]))
  const firsts = new Set(pairs.map(({ first }) => first))
  const bySecond = Map.groupBy(pairs, ({ second }) => second)
  const close = new Set<Pair>()
  for (const piece of pieces) {
    const { own, neighbours } = wordsOf(piece, initials)
    const last = new Map<string, Word>()
    const read = (word: Word) => {
      if (!word.basic) return
      for (const pair of bySecond.get(word.key) ?? []) {
        const before = close.has(pair) ? undefined : last.get(pair.first)
        if (before && isNext(piece.text, before, word)) close.add(pair)
      }
      if (firsts.has(word.key)) last.set(word.key, word)
    }
    own.forEach(read)
    neighbours.forEach(read)
  }
  return pairs.filter(pair => close.has(pair))
}

/** Whether only stop words are between two words. */
function isNext(text: string, before: Word, after: Word): boolean {
  if (after.start - before.end > WIDEST_PAIR_GAP) return false
  return analyze(text.slice(before.end, after.start)).every(({ key }) => isStopKey(key))
}
