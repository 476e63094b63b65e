import { type PieceText, wordsOf } from '../../../model/search/index-rows.ts'
import { type Clue, isFurther } from '../../../model/search/search-query.ts'
import {
  CLOSENESS_WEIGHT,
  IDEOGRAPHS_CLOSENESS_WEIGHT,
  MOST_READ_CLOSELY,
  SYLLABLES_CLOSENESS_WEIGHT,
  WHOLE_RUN_CLOSENESS_WEIGHT,
  WIDEST_PAIR_GAP,
  WRITTEN_FORM_WEIGHT,
  WRITTEN_QUERY_SHARE,
} from '../../../model/search/tuning.ts'
import { analyze, isUnspaced, markInitials, type Word } from '../../../model/text/analyzer.ts'
import { fold } from '../../../model/text/fold.ts'
import { isStopKey, wordKey } from '../../../model/text/words.ts'
import type { IndexedRow } from '../search-rows.ts'
import { textsOfRows } from '../searched-texts.ts'
import { ownRarity } from './clue-rarity.ts'
import type { Ranked, Ranker, RankingContext } from './ranker.ts'
import { areAllMeant, holderOfAll } from './word-rankers.ts'

/**
 * Two words that are next to each other in the query, ignoring stop words, and the score if they are neighbours in a
 * text. It may be higher in a record that contains the whole query.
 */
interface Pair {
  first: string
  second: string
  clues: [number, number]
  worth: number
  worthInWhole: number
}

/** A word of the query as it is written there, and the score if a text has it in that form. */
interface Form {
  key: string
  written: string
  clue: number
  worth: number
}

/** What a record may have of the query. */
interface Held {
  pairs: readonly Pair[]
  forms: readonly Form[]
  /** The whole query, with words of a script without spaces. */
  isWhole: boolean
  written: Written | null
}

/** A query with words of a script without spaces, as it is written, and the score if a text contains that. */
interface Written {
  text: string
  /** Without the first and the last, which a text continues: a query may begin or end inside a character. */
  clues: readonly number[]
  worth: number
}

const IDEOGRAPHS = /^\p{Script=Han}+$/u
/** Of these scripts, the index has only stems, which many words share. */
const STEMMED = /^[\p{Script=Cyrillic}\p{Script=Arabic}]+$/u
/** Texts that are read at once. */
const AT_ONCE = 25

/** Raises texts in which words of the query are neighbours, as they are in the query, or have the form that they have there. */
export const closenessRanker: Ranker = {
  name: 'closeness',
  refinement: 'closeness',
  depth: MOST_READ_CLOSELY,
  async score(ranked, context) {
    const pairs = pairsOf(context)
    const written = writtenOf(ranked, context)
    if (pairs.length === 0 && !written) return null
    const scores = ranked.map(({ score }) => score)
    const held = heldOf(ranked, pairs, written, context)
    const highest = held.map((each, i) => (scores[i] ?? 0) + worthOf(each))
    const likely = [...held.keys()].filter(i => held[i]?.pairs.length !== 0 || held[i]?.written)
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
          some.map(i => held[i] as Held),
        )
        for (const [n, i] of some.entries()) scores[i] = (scores[i] ?? 0) + (raised[n] ?? 0)
      }
    })
    return scores
  },
}

function heldOf(
  ranked: readonly Ranked[],
  pairs: readonly Pair[],
  written: Written | null,
  context: RankingContext,
): Held[] {
  const { query, times } = context
  const forms = formsOf(context)
  const isWhole = query.runs > 0 && areAllMeant(query, times) ? holderOfAll(query) : () => false
  return ranked.map(each => {
    const holds = (clue: number) => (each.candidate.counts[clue] ?? 0) > 0
    return {
      pairs: pairs.filter(({ clues }) => clues.every(holds)),
      forms: forms.filter(({ clue }) => holds(clue)),
      isWhole: isWhole(each),
      written: written?.clues.every(holds) ? written : null,
    }
  })
}

function writtenOf(ranked: readonly Ranked[], { query, clues }: RankingContext): Written | null {
  const { runs, words, text } = query
  if (runs === 0 || words.length < 2) return null
  const inner = new Set(words.length > 2 ? words.slice(1, -1) : words)
  return {
    text: fold(text.trim()),
    clues: clues.flatMap((clue, i) => (isContent(clue) && inner.has(clue.key) ? [i] : [])),
    worth: WRITTEN_QUERY_SHARE * ranked.reduce((most, { score }) => Math.max(most, score), 0),
  }
}

function worthOf({ pairs, forms, isWhole, written }: Held): number {
  const ofPairs = pairs.reduce((sum, pair) => sum + (isWhole ? pair.worthInWhole : pair.worth), 0)
  return forms.reduce((sum, { worth }) => sum + worth, ofPairs) + (written?.worth ?? 0)
}

/** The lowest of the wanted scores. */
function best(scores: readonly number[], wanted: number): number {
  return scores.toSorted((a, b) => b - a)[wanted - 1] ?? Number.NEGATIVE_INFINITY
}

/** The score of each row for the pairs that are neighbours in its visible texts, and the forms that occur there. */
async function closeness(
  context: RankingContext,
  rows: readonly IndexedRow[],
  held: readonly Held[],
): Promise<number[]> {
  const raised = rows.map(() => 0)
  for await (const { n, texts } of textsOfRows(context.scope, rows))
    raised[n] = worthOf(foundIn(texts, held[n] as Held))
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
    const rarity = Math.min(one.rarity, other.rarity)
    const worth = weightOf(first, second, syllables) * rarity
    const areUnspaced = isUnspaced(first) && isUnspaced(second)
    const worthInWhole = areUnspaced ? WHOLE_RUN_CLOSENESS_WEIGHT * rarity : worth
    if (rarity > 0)
      pairs.set(`${first} ${second}`, { first, second, clues: [one.i, other.i], worth, worthInWhole })
  }
  return [...pairs.values()]
}

/** The stemmed words of the query as they are written there. */
function formsOf({ query, clues, rarities }: RankingContext): Form[] {
  const forms = new Map<string, Form>()
  for (const { key, basic, start, end } of analyze(query.text)) {
    if (!basic || !STEMMED.test(key)) continue
    const i = clues.findIndex(clue => isContent(clue) && clue.key === key)
    const clue = clues[i]
    const written = wordKey(query.text.slice(start, end))
    if (clue && isContent(clue)) {
      const worth = WRITTEN_FORM_WEIGHT * ownRarity(clue, rarities[i] ?? 0)
      forms.set(written, { key, written, clue: i, worth })
    }
  }
  return [...forms.values()]
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

/** The part of what a record may have that its texts do have. */
function foundIn(pieces: readonly PieceText[], { pairs, forms, isWhole, written }: Held): Held {
  const initials = markInitials(pairs.flatMap(({ first, second }) => [first, second]))
  const firsts = new Set(pairs.map(({ first }) => first))
  const bySecond = Map.groupBy(pairs, ({ second }) => second)
  const byKey = Map.groupBy(forms, ({ key }) => key)
  const close = new Set<Pair>()
  const formed = new Set<Form>()
  for (const piece of pieces) {
    const { own, neighbours } = wordsOf(piece, initials)
    const last = new Map<string, Word>()
    const read = (word: Word) => {
      if (!word.basic) return
      for (const pair of bySecond.get(word.key) ?? []) {
        const before = close.has(pair) ? undefined : last.get(pair.first)
        if (before && isNext(piece.text, before, word)) close.add(pair)
      }
      for (const form of byKey.get(word.key) ?? [])
        if (!formed.has(form) && wordKey(piece.text.slice(word.start, word.end)) === form.written)
          formed.add(form)
      if (firsts.has(word.key)) last.set(word.key, word)
    }
    own.forEach(read)
    neighbours.forEach(read)
  }
  const isWritten = written && pieces.some(({ text }) => fold(text).includes(written.text))
  return {
    pairs: pairs.filter(pair => close.has(pair)),
    forms: [...formed],
    isWhole,
    written: isWritten ? written : null,
  }
}

/** Whether only stop words are between two words. */
function isNext(text: string, before: Word, after: Word): boolean {
  if (after.start - before.end > WIDEST_PAIR_GAP) return false
  return analyze(text.slice(before.end, after.start)).every(({ key }) => isStopKey(key))
}
