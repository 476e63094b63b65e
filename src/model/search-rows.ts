import { analyze, type Token } from './analyzer.ts'
import { advance } from './code-points.ts'
import { isObject, type Json } from './json.ts'
import { PIECE_CHARS } from './pieces.ts'

/** Characters of the next piece that a row also answers for, so that neighbours across a border are found together. */
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
  /** Words of the overlap; they lead to the row but do not count in it. */
  neighbours: Map<number, Set<string>>
}

/** A text of a field: the field's own, or one nested in it. */
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

/** A piece of a text with what is needed to analyse it alone. */
export interface PieceText {
  /** The piece and a little of the next. */
  text: string
  /** UTF-16 length of the piece itself. */
  own: number
  /** Whether the piece begins inside a word of the piece before it. */
  continued: boolean
}

const WORD_AT_END = /[\p{L}\p{N}\p{M}\p{Co}]$/u
const WORD_AT_START = /^[\p{L}\p{N}\p{M}\p{Co}]/u

export function pieceText(before: string, piece: string, after: string): PieceText {
  const continued = before !== '' && WORD_AT_END.test(before) && WORD_AT_START.test(piece)
  return { text: piece + after.slice(0, advance(after, 0, OVERLAP_CHARS)), own: piece.length, continued }
}

/** The pieces of a whole text, as they are indexed and proven. */
export function* pieceTexts(text: string): Generator<PieceText> {
  for (let start = 0; start < text.length || start === 0; ) {
    const end = advance(text, start, PIECE_CHARS)
    const next = advance(text, end, OVERLAP_CHARS)
    yield pieceText(text.slice(Math.max(0, start - 2), start), text.slice(start, end), text.slice(end, next))
    if (end >= text.length) return
    start = end
  }
}

/** The tokens of a piece; those that begin in it are its own. */
export function tokensOf({ text, own, continued }: PieceText): { own: Token[]; neighbours: Token[] } {
  const tokens = analyze(text)
  const kept = continued ? tokens.filter(token => token.start > 0) : tokens
  return {
    own: kept.filter(token => token.start < own),
    neighbours: kept.filter(token => token.start >= own),
  }
}

/** A searchable text on its way into the index, piece by piece. */
export interface TextPieces {
  code: number
  pieces: Iterator<PieceText> | AsyncIterator<PieceText>
}

/** How many rows texts of these sizes, in code points, fill. */
export function rowCount(sizes: readonly number[]): number {
  return sizes.reduce((most, size) => Math.max(most, Math.ceil(size / PIECE_CHARS)), 0)
}

/** The index rows of a record, one at a time: row n holds the n-th piece of each text. */
export async function* indexRows(texts: readonly TextPieces[]): AsyncGenerator<IndexRow> {
  let open = [...texts]
  while (open.length > 0) {
    const row: IndexRow = { sections: [], neighbours: new Map() }
    const still: TextPieces[] = []
    for (const text of open) {
      const { value, done } = await text.pieces.next()
      if (done) continue
      addPiece(row, text.code, value)
      still.push(text)
    }
    open = still
    if (still.length > 0) yield row
  }
}

function addPiece(row: IndexRow, code: number, piece: PieceText): void {
  let section = row.sections.find(candidate => candidate.code === code)
  if (!section) {
    section = { code, length: 0, counts: new Map() }
    row.sections.push(section)
  }
  const { own, neighbours } = tokensOf(piece)
  section.length += own.length
  for (const { key } of own) section.counts.set(key, (section.counts.get(key) ?? 0) + 1)
  if (neighbours.length === 0) return
  const words = row.neighbours.get(code) ?? new Set()
  for (const { key } of neighbours) words.add(key)
  row.neighbours.set(code, words)
}

/** A word as a number for the packed counts. */
export function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}

const SECTION_HEAD = 6

/** Packs a row's counts: for each section its code, words and length, then sorted hashes, then counts. */
export function packSections(sections: readonly Section[]): Uint8Array {
  const size = sections.reduce((sum, { counts }) => sum + SECTION_HEAD + counts.size * 5, 0)
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (const { code, length, counts } of sections) {
    const entries = [...counts].map(([key, n]) => [hashOf(key), n] as const).sort((a, b) => a[0] - b[0])
    bytes.writeUInt16LE(code, at)
    bytes.writeUInt16LE(entries.length, at + 2)
    bytes.writeUInt16LE(Math.min(65_535, length), at + 4)
    at += SECTION_HEAD
    for (const [hash] of entries) at = bytes.writeUInt32LE(hash, at)
    for (const [, n] of entries) at = bytes.writeUInt8(Math.min(255, n), at)
  }
  return bytes
}

/** Reads packed counts without unpacking them. */
export function* packedSections(
  packed: Uint8Array,
): Generator<{ code: number; length: number; count(hash: number): number }> {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  for (let at = 0; at < packed.byteLength; ) {
    const words = view.getUint16(at + 2, true)
    const first = at + SECTION_HEAD
    yield {
      code: view.getUint16(at, true),
      length: view.getUint16(at + 4, true),
      count: hash => {
        let [low, high] = [0, words - 1]
        while (low <= high) {
          const middle = (low + high) >>> 1
          const found = view.getUint32(first + middle * 4, true)
          if (found === hash) return view.getUint8(first + words * 4 + middle)
          if (found < hash) low = middle + 1
          else high = middle - 1
        }
        return 0
      },
    }
    at = first + words * 5
  }
}
