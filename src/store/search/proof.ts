import type { MatchWindow } from '../../api/search.ts'
import { DEFAULT_LIMIT_CHARS } from '../../model/reading/window.ts'
import { wordsOf } from '../../model/search/index-rows.ts'
import {
  bestSpans,
  createMatcher,
  cutWindow,
  type Match,
  MOST_TIMES_WORTH,
  passageWorth,
  passageWorths,
  type Span,
  widthOf,
} from '../../model/search/match-windows.ts'
import { type Clue, initialsOf, isFurther, type SearchQuery } from '../../model/search/search-query.ts'
import { FURTHER_WINDOW_WORTH, PEOPLE_WINDOW_WORTH } from '../../model/search/tuning.ts'
import { ownRarity } from './ranking/clue-rarity.ts'
import type { RowPiece } from './searched-texts.ts'

export interface ProofOptions {
  query: SearchQuery
  windows: number
  /** How many more windows of a record with several rows are found, of which only the places are shown. */
  places?: number
  window_chars: number
  /** How much a hit shows of the start of its text if its windows are all in other fields, such as the title. */
  text_chars?: number
}

/** The best windows of a row, and every field that contains a match. */
export interface Proof {
  windows: MatchWindow[]
  /** The next best windows, all in one long text. */
  also: MatchWindow[]
  fields: string[]
}

/** More spans than windows are examined, because some are visible in the text around others. */
const SPANS_PER_WINDOW = 4

/**
 * Finds the best windows of a record's rows, each with the exact range of its match and at a minimum distance from the
 * others. Windows with the clues of most worth come first, and of equal ones those in a text rather than in a field that
 * only names people.
 */
export function createProver(
  { query: { clues }, windows, places = 0, window_chars }: ProofOptions,
  rarities: readonly number[] | null,
) {
  const known = clueWorths(clues, rarities)
  const weights = clues.map(({ weight }, i) => (known[i] === 0 ? 0 : weight))
  const further = new Set(clues.flatMap((clue, i) => (isFurther(clue) ? [i] : [])))
  const initials = initialsOf(clues)
  const findMatches = createMatcher(clues)
  return (pieces: readonly RowPiece[], people: ReadonlySet<string>, apart = 0): Proof => {
    const most = apart > 0 ? windows + places : windows
    const matched = pieces.map(({ piece }) => {
      const { own, neighbours } = wordsOf(piece, initials)
      const words = neighbours.length === 0 ? own : [...own, ...neighbours]
      return withoutRepeats(findMatches(piece.text, words), further)
    })
    const texts = pieces.map(({ piece }, i) => ({ matches: matched[i] ?? [], length: piece.text.length }))
    const worths = apart > 0 ? phrasesFirst(passageWorths(texts, weights), clues) : known
    const found: FoundSpan[] = []
    const fields = new Set<string>()
    for (const [order, from] of pieces.entries()) {
      const matches = matched[order] ?? []
      if (matches.some(({ clue }) => clues[clue]?.stop === false)) fields.add(from.text.field)
      const share = people.has(from.text.field) ? PEOPLE_WINDOW_WORTH : 1
      for (const span of bestSpans(matches, window_chars, SPANS_PER_WINDOW * most, worths)) {
        const around = apart > 0 ? passageWorth(span, matches, worths) : 0
        found.push({ from, span: { ...span, worth: share * (span.worth + around) }, order })
      }
    }
    found.sort(
      (a, b) => b.span.worth - a.span.worth || widthOf(a.span) - widthOf(b.span) || a.order - b.order,
    )
    const useful = found.filter(({ span }, i) => i === 0 || span.worth > 0)
    const shown: MatchWindow[] = []
    const also: MatchWindow[] = []
    for (const { from, span } of apart > 0 ? spread(useful, apart) : useful) {
      if (shown.length + also.length === most) break
      const isShown = shown.length < windows
      if (!isShown && !isPlace(from, also)) continue
      const window = windowOf(from, span, window_chars)
      if (![...shown, ...also].some(other => shows(other, window))) (isShown ? shown : also).push(window)
    }
    return { windows: shown, also, fields: [...fields] }
  }
}

/** What each clue is worth in a window. Squares let one rare word outweigh two common ones. */
function clueWorths(clues: readonly Clue[], rarities: readonly number[] | null): number[] {
  const worths = clues.map((clue, i) => {
    const rarity = rarities?.[i] ?? 0
    const own = clue.kind === 'word' ? ownRarity(clue, rarity) : rarity
    const known = rarities ? own : clue.stop ? 0 : 1
    return (isFurther(clue) ? FURTHER_WINDOW_WORTH : 1) * known ** 2
  })
  return phrasesFirst(worths, clues)
}

/** All hits contain a quoted phrase, so its rarity among them says nothing: it is worth more than all words together. */
function phrasesFirst(worths: readonly number[], clues: readonly Clue[]): number[] {
  const all = MOST_TIMES_WORTH * worths.reduce((sum, each) => sum + each, 1)
  return worths.map((worth, i) => (clues[i]?.kind === 'phrase' ? all : worth))
}

function windowOf({ text, piece, offset }: RowPiece, span: Span, windowChars: number): MatchWindow {
  return {
    field_path: text.field_path,
    ...cutWindow(piece.text, offset, span, windowChars),
    size_chars: text.size_chars,
    digest: text.digest(),
  }
}

/** Whether a place helps a reader: in a text that a window does not show whole, and where the other places are. */
function isPlace({ text }: RowPiece, [first]: readonly MatchWindow[]): boolean {
  return first ? first.field_path === text.field_path : text.size_chars > DEFAULT_LIMIT_CHARS
}

/** Whether a match is visible in the text around another one, so that it would be shown twice. */
function shows(window: MatchWindow, { field_path, start_chars, end_chars }: MatchWindow): boolean {
  const { text_start_chars, text_end_chars } = window
  return window.field_path === field_path && start_chars >= text_start_chars && end_chars <= text_end_chars
}

/** A word that matches by its own key needs no match by a further one. */
function withoutRepeats(matches: readonly Match[], further: ReadonlySet<number>): readonly Match[] {
  if (!matches.some(({ clue }) => further.has(clue))) return matches
  const own = new Set(matches.filter(({ clue }) => !further.has(clue)).map(placeOf))
  return matches.filter(match => !further.has(match.clue) || !own.has(placeOf(match)))
}

/** Encodes both ends in one number: a piece is much shorter than the factor. */
function placeOf({ start, end }: Match): number {
  return start * 2 ** 20 + end
}

interface FoundSpan {
  from: RowPiece
  span: Span
  order: number
}

/** Leaves out spans near a better one in the same text. Offsets are compared, which is close enough. */
function spread(found: readonly FoundSpan[], apart: number): FoundSpan[] {
  const startOf = ({ from, span }: FoundSpan) => from.offset + span.start
  const kept: FoundSpan[] = []
  for (const each of found) {
    const isNear = kept.some(
      other =>
        other.from.text.field_path === each.from.text.field_path &&
        Math.abs(startOf(other) - startOf(each)) < apart,
    )
    if (!isNear) kept.push(each)
  }
  return kept
}
