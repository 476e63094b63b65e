import { isObject, type Json } from '../json.ts'
import { analyze, eachKey, type Initials, isUnspaced, type Word } from '../text/analyzer.ts'
import { advance } from '../text/code-points.ts'
import type { Further } from '../text/further-keys.ts'
import { PIECE_CHARS } from '../text/pieces.ts'

/** Characters of the next piece that a row also covers, so that words on both sides of a border are found together. */
const OVERLAP_CHARS = 256

/** How often each word occurs in one field of an index row, and how many words the field has there. */
export interface Section {
  code: number
  length: number
  counts: Map<string, number>
}

/** One row of the index: one piece of each searchable field. */
export interface IndexRow {
  sections: Section[]
  /** Words of the overlap: the row is found by them, but they do not count in it. */
  neighbours: Map<number, Set<string>>
}

/** A text of a field: its value, or a text nested in its value. */
export interface Leaf {
  path: string[]
  text: string
}

export function* leavesOf(value: Json | undefined, path: string[]): Generator<Leaf> {
  if (typeof value === 'string') yield { path, text: value }
  else if (Array.isArray(value))
    for (const [i, item] of value.entries()) yield* leavesOf(item, [...path, String(i)])
  else if (isObject(value))
    for (const [key, child] of Object.entries(value)) yield* leavesOf(child, [...path, key])
}

/** A piece of a text with what the analyzer needs to know about its neighbours. */
export interface PieceText {
  /** The piece and the overlap with the next one. */
  text: string
  /** UTF-16 length of the piece itself. */
  own: number
  /** Whether the piece starts inside a word of the piece before it, or inside a run of text without spaces. */
  continued: 'word' | 'run' | null
  /** Whether the whole text continues after `text`, so that its last word may be incomplete. */
  cut: boolean
}

/** How many characters before and after a piece `pieceText` needs. */
export const BEFORE_CHARS = 1
export const AFTER_CHARS = OVERLAP_CHARS + 1

const WORD_AT_END = /[\p{L}\p{N}\p{M}\p{Co}]$/u
const WORD_AT_START = /^[\p{L}\p{N}\p{M}\p{Co}]/u

export function pieceText(before: string, piece: string, after: string): PieceText {
  const [last = ''] = WORD_AT_END.exec(before) ?? []
  const [first = ''] = WORD_AT_START.exec(piece) ?? []
  const overlap = advance(after, 0, OVERLAP_CHARS)
  return {
    text: piece + after.slice(0, overlap),
    own: piece.length,
    continued: last !== '' && first !== '' && isUnspaced(last) === isUnspaced(first) ? kindOf(first) : null,
    cut: overlap < after.length,
  }
}

function kindOf(character: string): 'word' | 'run' {
  return isUnspaced(character) ? 'run' : 'word'
}

/** The pieces of a whole text, as they are indexed and proven. */
export function* pieceTexts(text: string): Generator<PieceText> {
  for (let start = 0; start < text.length; ) {
    const end = advance(text, start, PIECE_CHARS)
    const next = advance(text, end, AFTER_CHARS)
    yield pieceText(text.slice(Math.max(0, start - 2), start), text.slice(start, end), text.slice(end, next))
    start = end
  }
}

/** Whether every word of the piece is its own. */
function isWhole({ text, own, continued }: PieceText): boolean {
  return !continued && own === text.length
}

/** The complete words of a piece; those that start in the piece itself are its own. */
export function wordsOf(
  piece: PieceText,
  initials: Initials | null = null,
): { own: Word[]; neighbours: Word[] } {
  const { text, own, continued, cut } = piece
  const words = analyze(text, initials)
  if (isWhole(piece)) return { own: words, neighbours: [] }
  // A run without spaces may be cut anywhere; only its first character, left alone, is not a word.
  const partial = continued === 'run' ? advance(text, 0, 1) : Number.POSITIVE_INFINITY
  const kept = continued ? words.filter(({ start, end }) => start > 0 || end > partial) : words
  return {
    own: kept.filter(word => word.start < own),
    neighbours: kept.filter(word => word.start >= own && !(cut && word.end === text.length)),
  }
}

/** A searchable text as a series of pieces to index; its first piece belongs to row `row`. */
export interface TextPieces {
  code: number
  row: number
  pieces: Iterator<PieceText> | AsyncIterator<PieceText>
}

/**
 * The row that each text of a field starts in, given their sizes in code points. A field of many texts is spread over
 * rows, so that no row grows beyond a few pieces.
 */
export function firstRows(sizes: readonly number[]): number[] {
  let before = 0
  return sizes.map(size => {
    const row = Math.floor(before / PIECE_CHARS)
    before += size
    return row
  })
}

/** How many rows the texts fill, given the row that each starts in and its size in code points. */
export function rowCount(texts: readonly { row: number; size: number }[]): number {
  return texts.reduce((most, { row, size }) => Math.max(most, row + Math.ceil(size / PIECE_CHARS)), 0)
}

/** The index rows of a record, one at a time. */
export async function* indexRows(texts: readonly TextPieces[], count: number): AsyncGenerator<IndexRow> {
  let open = [...texts]
  for (let no = 0; no < count; no++) {
    const row: IndexRow = { sections: [], neighbours: new Map() }
    const ended = new Set<TextPieces>()
    for (const text of open) {
      if (text.row > no) continue
      const next = text.pieces.next()
      const { value, done } = next instanceof Promise ? await next : next
      if (done) ended.add(text)
      else addPiece(row, text.code, value)
    }
    open = open.filter(text => !ended.has(text))
    yield row
  }
}

function addPiece(row: IndexRow, code: number, piece: PieceText): void {
  let section = row.sections.find(candidate => candidate.code === code)
  if (!section) {
    section = { code, length: 0, counts: new Map() }
    row.sections.push(section)
  }
  const { counts } = section
  let length = 0
  const count = (key: string, further: Further | null) => {
    if (further === null) length++
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  if (isWhole(piece)) {
    eachKey(piece.text, count)
    section.length += length
    return
  }
  const { own, neighbours } = wordsOf(piece)
  for (const { key, further } of own) count(key, further)
  section.length += length
  if (neighbours.length === 0) return
  const words = row.neighbours.get(code) ?? new Set()
  for (const { key } of neighbours) words.add(key)
  row.neighbours.set(code, words)
}
