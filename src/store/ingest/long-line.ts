import type { CutText } from '../../model/declaration/ingest-line.ts'
import { CodedError } from '../../model/errors.ts'
import { cleanText } from '../../model/json.ts'
import { advance, countCodePoints } from '../../model/text/code-points.ts'
import { LONG_TEXT_CHARS, PIECE_CHARS } from '../../model/text/pieces.ts'
import { textMark } from '../records/long-text.ts'
import { PackedPieces } from './packed-pieces.ts'

/** The depth of the fields: in `data`, which is a member of the line. */
const DATA_DEPTH = 2
/** An escaped character takes six characters in the line; a character outside the basic plane counts twice. */
const SURELY_LONG_CHARS = 6 * 2 * LONG_TEXT_CHARS
const SIGN = /["{}[\],:]/g
const END_OR_ESCAPE = /["\\]/g

/**
 * A JSON text that arrives in parts. Long texts of the given fields are cut into pieces immediately, and marks are left
 * in their places.
 */
export class LongLine {
  readonly #fields: ReadonlySet<string>
  readonly #mark = textMark()
  readonly #rest: string[] = []
  readonly #cut: CutText[] = []
  /** The objects and lists that are open. */
  readonly #open: ('{' | '[')[] = []
  /** The last key of the line, and the last key of the object in it. */
  readonly #keys: string[] = []
  #isValue = false
  #string: OpenString | null = null
  /** The current part has been kept up to here. */
  #kept = 0
  /** The end of the previous part, if it is the start of an escaped character. */
  #carried = ''

  constructor(fields: ReadonlySet<string>) {
    this.#fields = fields
  }

  /** Throws if a text that is cut out is not valid JSON. */
  push(part: string): void {
    if (this.#fields.size === 0) {
      this.#rest.push(part)
      return
    }
    const text = this.#carried + part
    this.#carried = ''
    this.#kept = 0
    for (let at = 0; at < text.length; ) at = this.#string ? this.#inside(text, at) : this.#outside(text, at)
    if (!this.#string?.isHeld) this.#keep(text, text.length - this.#carried.length)
  }

  /** The JSON with its marks, and the texts that were cut out. */
  end(): { text: string; cut: CutText[] } {
    if (this.#string?.isHeld) this.#rest.push(this.#string.held)
    this.#rest.push(this.#carried)
    return { text: joined(this.#rest), cut: this.#cut }
  }

  #keep(text: string, end: number): void {
    this.#rest.push(text.slice(this.#kept, end))
    this.#kept = end
  }

  #outside(text: string, from: number): number {
    SIGN.lastIndex = from
    const found = SIGN.exec(text)
    if (!found) return text.length
    const end = found.index + 1
    const [sign] = found
    if (sign === '"') this.#string = { use: this.#use(), isHeld: false, held: '', pieces: null }
    else if (sign === ':') this.#isValue = true
    else {
      if (sign === '{' || sign === '[') this.#open.push(sign)
      else if (sign !== ',') this.#open.pop()
      this.#isValue = false
    }
    return end
  }

  /** How to treat the string that begins here. */
  #use(): OpenString['use'] {
    const depth = this.#open.length
    if (this.#open.at(-1) === '{' && !this.#isValue) return depth <= DATA_DEPTH ? 'key' : 'other'
    const [outer, field = ''] = this.#keys
    return depth >= DATA_DEPTH && outer === 'data' && this.#fields.has(field) ? 'text' : 'other'
  }

  /** Continues reading the open string. */
  #inside(text: string, from: number): number {
    const open = this.#string as OpenString
    let end = text.length
    END_OR_ESCAPE.lastIndex = from
    for (let found = END_OR_ESCAPE.exec(text); found; found = END_OR_ESCAPE.exec(text)) {
      const escapedChars = text[found.index + 1] === 'u' ? 6 : 2
      const isCut = found[0] !== '"' && found.index + escapedChars > text.length
      if (isCut) this.#carried = text.slice(found.index)
      if (isCut || found[0] === '"') {
        end = found.index
        break
      }
      END_OR_ESCAPE.lastIndex = found.index + escapedChars
    }
    const isEnd = this.#carried === '' && end < text.length
    if (open.use === 'text') {
      // A short text stays in the line.
      if (isEnd && !open.isHeld && end - from < SURELY_LONG_CHARS) {
        this.#string = null
        return end + 1
      }
      if (!open.isHeld) this.#keep(text, from)
      open.isHeld = true
      this.#kept = end
    }
    if (open.use !== 'other') this.#hold(open, text.slice(from, end))
    if (!isEnd) return text.length
    this.#close(open)
    return end + 1
  }

  #hold(open: OpenString, part: string): void {
    if (open.pieces) {
      open.pieces.add(part)
      return
    }
    open.held += part
    if (open.use !== 'text' || open.held.length < SURELY_LONG_CHARS) return
    // Bytes that are encoded as a text are kept whole.
    if (/^data:/i.test(unescaped(open.held))) {
      this.#rest.push(open.held)
      open.use = 'other'
      open.isHeld = false
    } else {
      open.pieces = new CutPieces(this.#mark(this.#cut.length))
      open.pieces.add(open.held)
    }
    open.held = ''
  }

  #close(open: OpenString): void {
    this.#string = null
    if (open.use === 'key') this.#keys[this.#open.length - 1] = open.held.includes('\\') ? '' : open.held
    if (open.use !== 'text') return
    const cut = open.pieces?.end()
    if (cut) this.#cut.push(cut)
    this.#rest.push(cut?.mark ?? open.held)
  }
}

interface OpenString {
  use: 'key' | 'text' | 'other'
  /** Whether it is stored separately from the rest of the line. */
  isHeld: boolean
  /** The part read so far, if it is a key or a text that is not long yet. */
  held: string
  /** The part read so far, if it is long. */
  pieces: CutPieces | null
}

/** A text that is cut into pieces as it arrives. */
class CutPieces {
  readonly #mark: string
  readonly #pieces = new PackedPieces()
  #waiting = ''
  #size_chars = 0
  #line_chars = 0
  #cleaned = 0

  constructor(mark: string) {
    this.#mark = mark
  }

  add(part: string): void {
    this.#line_chars += part.length
    const text = this.#waiting + unescaped(part)
    let start = 0
    // The last character is kept, because it may be the first half of a surrogate pair.
    while (text.length - start > 2 * PIECE_CHARS) {
      const end = advance(text, start, PIECE_CHARS)
      this.#keep(text.slice(start, end), PIECE_CHARS)
      start = end
    }
    this.#waiting = text.slice(start)
  }

  end(): CutText {
    for (let start = 0; start < this.#waiting.length; ) {
      const end = advance(this.#waiting, start, PIECE_CHARS)
      const piece = this.#waiting.slice(start, end)
      this.#keep(piece, countCodePoints(piece))
      start = end
    }
    return {
      mark: this.#mark,
      pieces: this.#pieces,
      digest: this.#pieces.end(),
      size_chars: this.#size_chars,
      cleaned: this.#cleaned,
      line_chars: this.#line_chars,
    }
  }

  #keep(piece: string, size: number): void {
    const isClean = piece.isWellFormed() && !piece.includes('\0')
    const { value, replaced } = isClean ? { value: piece, replaced: 0 } : cleanText(piece)
    this.#pieces.add(value as string)
    this.#size_chars += size
    this.#cleaned += replaced
  }
}

/** The rest of a line may still be longer than a string can be. */
function joined(parts: readonly string[]): string {
  try {
    return parts.join('')
  } catch {
    throw new CodedError('line_too_large', 'A line is larger than 512 MiB.')
  }
}

function unescaped(written: string): string {
  return JSON.parse(`"${written}"`) as string
}
