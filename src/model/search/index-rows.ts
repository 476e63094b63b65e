import { isObject, type Json } from '../json.ts'
import { analyze, type Initials, isUnspaced, type Word } from '../text/analyzer.ts'
import { advance } from '../text/code-points.ts'
import { PIECE_CHARS, piecesOf } from '../text/pieces.ts'

/** Characters of the next piece that a row also covers, so that words on both sides of a border are found together. */
const OVERLAP_CHARS = 256

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
  /**
   * Whether the piece starts inside a word that began in the previous piece, or inside a run of text without spaces.
   */
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

/** The pieces of a whole text, as they are indexed and searched for matches. */
export function pieceTexts(text: string): IterableIterator<PieceText> {
  if (text.length > PIECE_CHARS) return besideNeighbours(piecesOf(text))
  return (text === '' ? [] : [onlyPiece(text)]).values()
}

/** A text that is no longer than a piece. */
export function onlyPiece(text: string): PieceText {
  return { text, own: text.length, continued: null, cut: false }
}

/** The pieces of a text that is already split, each with what the analyzer needs of its neighbours. */
export function* besideNeighbours(pieces: Iterable<string>): Generator<PieceText> {
  let before = ''
  let piece: string | null = null
  for (const next of pieces) {
    if (piece !== null) {
      yield pieceText(before, piece, next.slice(0, advance(next, 0, AFTER_CHARS)))
      before = piece.slice(-2)
    }
    piece = next
  }
  if (piece !== null) yield pieceText(before, piece, '')
}

/** Whether every word of the piece starts in the piece itself. */
export function isWhole({ text, own, continued }: PieceText): boolean {
  return !continued && own === text.length
}

/** The complete words of a piece. Words that start in the piece itself are marked as its own. */
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

/** Pieces that are in memory, or that have to be read first. */
export type Ready = IterableIterator<PieceText>
export type Pieces = Ready | AsyncIterator<PieceText>

/** A searchable text as a series of pieces to index; its first piece belongs to row `row`. */
export interface TextPieces<P extends Pieces = Pieces> {
  code: number
  row: number
  pieces(): P
}

/**
 * The row in which each text of a field starts, given their sizes in code points. A field with many texts is spread
 * over several rows, so that no row grows beyond a few pieces.
 */
export function firstRows(sizes: readonly number[]): number[] {
  let before = 0
  return sizes.map(size => {
    const row = Math.floor(before / PIECE_CHARS)
    before += size
    return row
  })
}

/**
 * How many rows the texts fill, given each text's first row and its size in code points. Without texts it is one row too:
 * the number of records between others must not depend on which of them have a hidden text (RS-5).
 */
export function rowCount(texts: readonly { row: number; size: number }[]): number {
  return texts.reduce((most, { row, size }) => Math.max(most, row + Math.ceil(size / PIECE_CHARS)), 1)
}

/** The pieces of a row, grouped by field. */
export type RowPieces = { code: number; piece: PieceText }[]

/** The pieces of the index rows of a record, one row at a time. */
export async function* rowPieces(texts: readonly TextPieces[], count: number): AsyncGenerator<RowPieces> {
  let open = texts.map(({ code, row, pieces }) => ({ code, row, pieces: pieces() }))
  for (let no = 0; no < count; no++) {
    const row: RowPieces = []
    const ended = new Set<(typeof open)[number]>()
    for (const text of open) {
      if (text.row > no) continue
      const next = text.pieces.next()
      const { value, done } = next instanceof Promise ? await next : next
      if (done) ended.add(text)
      else row.push({ code: text.code, piece: value })
    }
    open = open.filter(text => !ended.has(text))
    yield row
  }
}

/** The pieces of all rows of a record whose texts are in memory, which takes less time. */
export function readyRowPieces(texts: readonly TextPieces<Ready>[], count: number): RowPieces[] {
  const rows = Array.from({ length: count }, (): RowPieces => [])
  for (const { code, row, pieces } of texts) {
    let no = row
    for (const piece of pieces()) rows[no++]?.push({ code, piece })
  }
  return rows
}
