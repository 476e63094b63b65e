import type { Word } from '../text/analyzer.ts'
import { advance, countCodePoints } from '../text/code-points.ts'
import { wordKey } from '../text/words.ts'
import { rarityOf } from './bm25.ts'
import type { Clue } from './search-query.ts'
import { PASSAGE_REACH, WIDEST_PHRASE_GAP, WITHIN_RECORD } from './tuning.ts'

/** A range of a text that matches one clue, in UTF-16 units. */
export interface Match {
  clue: number
  start: number
  end: number
}

/** Finds every match of every clue among the words of a text. Made once for a query, because it reads many texts. */
export type Matcher = (text: string, words: readonly Word[]) => Match[]

export function createMatcher(clues: readonly Clue[]): Matcher {
  const wordClues = new Map<string, number>()
  for (const [i, clue] of clues.entries()) if (clue.kind === 'word') wordClues.set(clue.key, i)
  const areAllWords = clues.every(clue => clue.kind === 'word')
  const prefixes = prefixesIn(clues)
  return (text, words) => {
    const matches: Match[] = []
    for (const { key, start, end } of words) {
      const clue = wordClues.get(key)
      if (clue !== undefined) matches.push({ clue, start, end })
    }
    if (!areAllWords) {
      const basic = words.filter(word => word.basic)
      addPrefixes(text, basic, prefixes, matches)
      addPhrases(basic, clues, matches)
    }
    return matches.sort((a, b) => a.start - b.start || a.end - b.end)
  }
}

type Prefixes = readonly { length: number; clueOf: ReadonlyMap<string, number> }[]

function addPrefixes(text: string, basic: readonly Word[], prefixes: Prefixes, matches: Match[]): void {
  if (prefixes.length === 0) return
  for (const { start, end } of basic) {
    const key = wordKey(text.slice(start, end))
    for (const { length, clueOf } of prefixes) {
      const clue = clueOf.get(key.slice(0, length))
      if (clue !== undefined) matches.push({ clue, start, end })
    }
  }
}

function addPhrases(basic: readonly Word[], clues: readonly Clue[], matches: Match[]): void {
  for (const [i, clue] of clues.entries()) {
    if (clue.kind !== 'phrase') continue
    for (let at = 0; at + clue.keys.length <= basic.length; at++) {
      if (!isPhraseAt(clue.keys, basic, at)) continue
      const [first, last] = [basic[at], basic[at + clue.keys.length - 1]]
      if (first && last) matches.push({ clue: i, start: first.start, end: last.end })
    }
  }
}

/** Prefixes grouped by length, so that a word is looked up once per length and not once per prefix. */
function prefixesIn(clues: readonly Clue[]): Prefixes {
  const lengths = new Map<number, Map<string, number>>()
  for (const [i, clue] of clues.entries()) {
    if (clue.kind !== 'prefix') continue
    const clueOf = lengths.get(clue.key.length) ?? new Map()
    lengths.set(clue.key.length, clueOf.set(clue.key, i))
  }
  return [...lengths].map(([length, clueOf]) => ({ length, clueOf }))
}

function isPhraseAt(keys: readonly string[], words: readonly Word[], at: number): boolean {
  return keys.every((key, offset) => {
    const [word, before] = [words[at + offset], words[at + offset - 1]]
    if (word?.key !== key) return false
    return offset === 0 || before === undefined || word.start - before.end <= WIDEST_PHRASE_GAP
  })
}

/** The smallest range around some matches, how many different clues they match, and the sum of what those are worth. */
export interface Span {
  start: number
  end: number
  distinct: number
  worth: number
}

/**
 * The best spans that do not overlap: those with the clues of most worth first, then the shortest, then the earliest.
 * Clues without worth count only if there are no others.
 */
export function bestSpans(
  found: readonly Match[],
  windowChars: number,
  most: number,
  worths: readonly number[],
): Span[] {
  const telling = found.filter(({ clue }) => (worths[clue] ?? 0) > 0)
  const matches = telling.length > 0 ? telling : found
  const spans: Span[] = []
  for (let i = 0; i < matches.length; i++) {
    const seen = new Set<number>()
    let [worth, end] = [0, 0]
    let best: Span | null = null
    for (let j = i; j < matches.length; j++) {
      const [from, to] = [matches[i], matches[j]]
      if (!from || !to || (j > i && to.end - from.start > windowChars)) break
      if (seen.has(to.clue)) continue
      seen.add(to.clue)
      worth += worths[to.clue] ?? 0
      end = Math.max(end, to.end)
      best = { start: from.start, end, distinct: seen.size, worth }
    }
    if (best) spans.push(best)
  }
  spans.sort((a, b) => b.worth - a.worth || widthOf(a) - widthOf(b) || a.start - b.start)
  const chosen: Span[] = []
  for (const span of spans) {
    if (chosen.length === most) break
    if (span.worth === 0 && chosen.length > 0) break
    if (chosen.every(other => span.end <= other.start || span.start >= other.end)) chosen.push(span)
  }
  return chosen
}

/** How far apart the matches of a span are. A single word is not better because it is shorter. */
export function widthOf({ start, end, distinct }: Span): number {
  return distinct > 1 ? end - start : 0
}

/** A clue in a span and in the passage around it counts less than this many times its worth. */
export const MOST_TIMES_WORTH = 1 + WITHIN_RECORD.k1 + 1

/** The matches in a part of a long text, and how long that part is. */
export interface MatchedText {
  matches: readonly Match[]
  length: number
}

/**
 * What each clue is worth in a passage: the fewer passages of these texts contain it, the more. How rare it is among
 * records says little about where in a record to read.
 */
export function passageWorths(texts: readonly MatchedText[], weights: readonly number[]): number[] {
  const holding = weights.map(() => 0)
  let passages = 0
  for (const { matches, length } of texts) {
    passages += length / (2 * PASSAGE_REACH)
    const last = weights.map(() => -1)
    for (const { clue, start } of matches) {
      const passage = Math.floor(start / (2 * PASSAGE_REACH))
      if (last[clue] === passage) continue
      last[clue] = passage
      holding[clue] = (holding[clue] ?? 0) + 1
    }
  }
  return weights.map((weight, i) => weight * rarityOf(holding[i] ?? 0, passages))
}

/** What the passage around a span is worth. A clue that occurs again counts more, but not twice as much. */
export function passageWorth(
  { start, end }: Span,
  matches: readonly Match[],
  worths: readonly number[],
): number {
  const middle = (start + end) / 2
  const counts = worths.map(() => 0)
  for (const match of matches)
    if (Math.abs(match.start - middle) <= PASSAGE_REACH) counts[match.clue] = (counts[match.clue] ?? 0) + 1
  const { k1 } = WITHIN_RECORD
  return worths.reduce((sum, worth, i) => {
    const count = counts[i] ?? 0
    return sum + (worth * count * (k1 + 1)) / (count + k1)
  }, 0)
}

/** A window in code points: the exact match, and the bounded text around it. */
export interface CutWindow {
  start_chars: number
  end_chars: number
  text: string
  text_start_chars: number
  text_end_chars: number
}

/**
 * Cuts a window of at most `windowChars` around a span, with the match in the middle unless the text ends before that.
 * A word that does not fit is left out entirely.
 */
export function cutWindow(
  text: string,
  textStart: number,
  span: Pick<Span, 'start' | 'end'>,
  windowChars: number,
): CutWindow {
  const start_chars = textStart + countCodePoints(text.slice(0, span.start))
  const matched = countCodePoints(text.slice(span.start, span.end))
  const room = Math.max(0, windowChars - matched)
  const available = start_chars - textStart
  const half = Math.min(available, Math.floor(room / 2))
  const to = advance(text, span.end, room - half)
  // Near the end of the text, space that is not needed after the match is used before it.
  const before = Math.min(available, room - countCodePoints(text.slice(span.end, to)))
  const first = wordStart(text, retreat(text, span.start, before), span.start)
  const cut = text.slice(first, wordEnd(text, to, span.end))
  const text_start_chars = start_chars - countCodePoints(text.slice(first, span.start))
  return {
    start_chars,
    end_chars: start_chars + matched,
    text: cut,
    text_start_chars,
    text_end_chars: text_start_chars + countCodePoints(cut),
  }
}

const IN_WORD = /[\p{L}\p{N}\p{M}]/u
/** Scripts without spaces are cut anywhere. */
const LONGEST_PART = 20

/** Where the first whole word begins. */
function wordStart(text: string, from: number, most: number): number {
  if (from === 0) return 0
  let at = from
  while (at < most && at - from < LONGEST_PART && isInsideWord(text, at)) at = advance(text, at, 1)
  if (at > most || isInsideWord(text, at)) return from
  while (at < most && isSpaceAt(text, at)) at++
  return at
}

/** Where the last whole word ends. */
function wordEnd(text: string, to: number, least: number): number {
  if (to === text.length) return to
  let at = to
  while (at > least && to - at < LONGEST_PART && isInsideWord(text, at)) at = retreat(text, at, 1)
  if (at < least || isInsideWord(text, at)) return to
  while (at > least && isSpaceAt(text, at - 1)) at--
  return at
}

function isInsideWord(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false
  const before = String.fromCodePoint(text.codePointAt(retreat(text, at, 1)) ?? 0)
  return IN_WORD.test(before) && IN_WORD.test(String.fromCodePoint(text.codePointAt(at) ?? 0))
}

function isSpaceAt(text: string, at: number): boolean {
  return text.charAt(at).trim() === ''
}

function retreat(text: string, from: number, count: number): number {
  let index = from
  for (let n = 0; n < count && index > 0; n++) {
    const unit = text.charCodeAt(index - 1)
    index -= unit >= 0xdc00 && unit <= 0xdfff && index > 1 ? 2 : 1
  }
  return index
}
