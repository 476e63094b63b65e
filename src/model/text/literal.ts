import { CodedError } from '../errors.ts'
import { ClusterAutomaton, splitClusters, TAIL } from './cluster-automaton.ts'
import { countCodePoints } from './code-points.ts'
import { DIACRITICS, fold, foldDecomposed, spellings } from './fold.ts'

/**
 * A literal string found in text under `fold`, with positions in the original text (RF-4, RF-9).
 *
 * A match is the smallest span for which fold(before) + fold(q) + fold(after) is fold(text), so it begins and
 * ends between characters as folding sees them: か is not found in が, however が is written. Its end then
 * takes in the diacritics that follow, since they belong to its last character.
 */
export interface Literal {
  /**
   * The first match at or after `from`; the text before `from` still counts as context. A match at the end of `text`
   * may change with what follows; `scan` handles that.
   */
  find(text: string, from?: number): Span | null
  /** Upper bound, in UTF-16 units, of the text that a match covers: the amount to carry over between pieces. */
  readonly maxLength: number
  /** Looks for the first match in a text that arrives in pieces, each of whole code points. */
  scan(): LiteralScan
}

/** UTF-16 indices into the text; from a scan, code points counted from the start of the first piece. */
export interface Span {
  start: number
  end: number
}

interface LiteralScan {
  /** The match, once what follows can no longer change it. Passing the number of code points saves counting them. */
  push(piece: string, codePoints?: number): Span | null
  /** The match that `push` still held back when the text ended. */
  end(): Span | null
}

const MAX_CHARACTERS = 8192

/** The number assumed per character in `maxLength`; a match across pieces with more on average may be missed. */
const MAX_DIACRITICS = 16

/** The distance over which marks affect each other: Unicode's stream-safe text has at most 30 in a row. */
const MAX_RUN = 32

/** Clusters in the RegExp: V8 optimises patterns up to about 20,000 characters. */
const GROUP = 16

const DIACRITIC = new RegExp(`^[${DIACRITICS}]`)
const BETWEEN = `[${DIACRITICS}]*`
const DIACRITIC_RUN = new RegExp(BETWEEN, 'y')

export function compileLiteral(q: string): Literal {
  const folded = fold(q)
  const decomposed = folded.normalize('NFD')
  const characters = [...decomposed]
  if (q === '') throw new CodedError('invalid_window', 'q is empty. Give the text to find.')
  if (folded === '')
    throw new CodedError('invalid_window', 'q contains only diacritics, which are ignored. Add a letter.')
  if (characters.length > MAX_CHARACTERS)
    throw new CodedError('invalid_window', `q has more than ${MAX_CHARACTERS} characters. Shorten it.`)
  const maxLength = characters.length * (2 + MAX_DIACRITICS)
  const clusters = splitClusters(characters)
  assertMarks(clusters)
  const head = headPattern(clusters)
  const automaton = clusters.length > GROUP ? new ClusterAutomaton(clusters) : null

  function find(text: string, from = 0): Span | null {
    head.lastIndex = from
    for (let candidate = head.exec(text); candidate; candidate = head.exec(text)) {
      const followed = automaton ? automaton.follow(text, candidate.index) : { match: candidate.index }
      if ('next' in followed) {
        head.lastIndex = followed.next
        continue
      }
      const start = followed.match
      const end = endOfMatch(text, start)
      if (end !== null && standsApart(text, start, end)) return { start, end }
      head.lastIndex = start + characterAt(text, start).length
    }
    return null
  }

  /** The patterns match too much where characters compose or are reordered; this function decides exactly. */
  function endOfMatch(text: string, start: number): number | null {
    let end = start
    for (let missing = decomposed.length; missing > 0; ) {
      const char = characterAt(text, end)
      if (char === '') return null
      missing -= foldDecomposed(char).length
      end += char.length
    }
    return fold(text.slice(start, end)) === folded ? skipDiacritics(text, end) : null
  }

  return { find, maxLength, scan: () => startScan(find, characters.length, maxLength) }
}

function startScan(find: Literal['find'], characters: number, maxLength: number): LiteralScan {
  let text = ''
  let from = 0
  let pushed = 0
  let held: Span | null = null

  function inCodePoints({ start, end }: Span): Span {
    const last = pushed - countCodePoints(text.slice(end))
    return { start: last - countCodePoints(text.slice(start, end)), end: last }
  }

  return {
    push(piece, codePoints = countCodePoints(piece)) {
      text += piece
      pushed += codePoints
      held = find(text, from)
      if (held && (runEnd(text, held.end) < text.length || text.length - held.start > maxLength))
        return inCodePoints(held)
      from = held ? held.start : undecidedFrom(text, characters, maxLength)
      const keep = runStart(text, from)
      text = text.slice(keep)
      from -= keep
      if (held) held = { start: held.start - keep, end: held.end - keep }
      return null
    },
    end: () => held && inCodePoints(held),
  }
}

/**
 * The first index for which it is still undecided whether a match begins there. Enough text follows every earlier one.
 */
function undecidedFrom(text: string, characters: number, maxLength: number): number {
  let at = text.length
  for (let seen = 0; at > 0 && seen < characters && text.length - at < maxLength; ) {
    const char = characterBefore(text, at)
    at -= char.length
    if (!DIACRITIC.test(char)) seen++
  }
  return at
}

/** Without these limits, someone could construct a text of which every part has to be compared with all of q. */
function assertMarks(clusters: readonly string[][]): void {
  const [first = []] = clusters
  if (clusters.some(cluster => cluster.length > MAX_RUN))
    throw new CodedError('invalid_window', `q has more than ${MAX_RUN} combining marks in a row. Shorten it.`)
  if (first[0] && TAIL.test(first[0]) && clusters.length > GROUP)
    throw new CodedError('invalid_window', 'q begins with a combining mark. Begin it with a letter.')
}

/** Matches the first characters of a match, wherever one can begin. */
function headPattern(clusters: string[][]): RegExp {
  const [first = []] = clusters
  if (first[0] && TAIL.test(first[0])) {
    const marks = new Set(first)
    return new RegExp(oneOf(first.flatMap(mark => spellings(mark, marks))), 'gu')
  }
  return new RegExp(clusters.slice(0, GROUP).map(clusterPattern).join(BETWEEN), 'gu')
}

/** Exact for up to one mark; with more, any order and number is accepted. */
function clusterPattern([base = '', ...tail]: string[]): string {
  const bare = oneOf(spellings(base, new Set()))
  if (tail.length === 0) return bare
  const marks = new Set(tail)
  const mark = BETWEEN + oneOf([...marks].flatMap(each => spellings(each, marks)))
  const composed = spellings(base, marks).filter(char => foldDecomposed(char) !== base)
  const first = composed.length === 0 ? bare + mark : `(?:${oneOf(composed)}|${bare}${mark})`
  return tail.length === 1 ? first : `${first}(?:${mark})*`
}

function oneOf(characters: string[]): string {
  return `[${characters.map(character => `\\u{${character.codePointAt(0)?.toString(16)}}`).join('')}]`
}

function standsApart(text: string, start: number, end: number): boolean {
  if (!TAIL.test(characterAt(text, start)) && !TAIL.test(characterAt(text, end))) return true
  const before = text.slice(runStart(text, start), start)
  const match = text.slice(start, end)
  const after = text.slice(end, runEnd(text, end))
  return fold(before) + fold(match) + fold(after) === fold(before + match + after)
}

function runStart(text: string, from: number): number {
  let at = from
  for (let seen = 0; at > 0 && seen < MAX_RUN; seen++) {
    const char = characterBefore(text, at)
    at -= char.length
    if (!TAIL.test(char)) break
  }
  return at
}

function runEnd(text: string, from: number): number {
  let at = from
  for (let seen = 0; at < text.length && seen < MAX_RUN; seen++) {
    const char = characterAt(text, at)
    if (!TAIL.test(char)) break
    at += char.length
  }
  return at
}

function skipDiacritics(text: string, from: number): number {
  DIACRITIC_RUN.lastIndex = from
  DIACRITIC_RUN.test(text)
  return DIACRITIC_RUN.lastIndex
}

function characterAt(text: string, index: number): string {
  const codePoint = text.codePointAt(index)
  return codePoint === undefined ? '' : String.fromCodePoint(codePoint)
}

function characterBefore(text: string, index: number): string {
  const pair = characterAt(text, index - 2)
  return index > 1 && pair.length === 2 ? pair : text.slice(index - 1, index)
}
