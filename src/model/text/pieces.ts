import { advance, countCodePoints } from './code-points.ts'

/** A string above this many code points is long text: stored in pieces, never inline. */
export const LONG_TEXT_CHARS = 16_384
/** Every piece of a long text but the last has exactly this many code points, so a piece's number is offset / size. */
export const PIECE_CHARS = 8_192

/** A long string taken out of a record's data, with its length and digest. */
export interface TakenText {
  path: string[]
  /** In order; can be iterated repeatedly. */
  pieces: Iterable<string>
  size_chars: number
  digest: string
}

export function isLongText(text: string): boolean {
  return text.length > LONG_TEXT_CHARS && countCodePoints(text) > LONG_TEXT_CHARS
}

export function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = advance(text, start, PIECE_CHARS)
    yield text.slice(start, end)
    start = end
  }
}
