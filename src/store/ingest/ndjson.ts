import { isUtf8 } from 'node:buffer'
import type { CutText } from '../../model/declaration/ingest-line.ts'
import { CodedError } from '../../model/errors.ts'
import { wholeCharacters } from '../../model/text/code-points.ts'
import { LongLine } from './long-line.ts'

export const MAX_LINE_BYTES = 512 * 1024 * 1024

/** A line of the body; `text` is null if its bytes are not UTF-8. */
export interface Line {
  no: number
  text: string | null
  /** The long texts that the marks in `text` refer to. */
  cut?: CutText[]
  /** Why the line is not JSON, if that was noticed while it was cut. */
  invalid?: string
}

const NEWLINE = 0x0a
const DECODE_BYTES = 1024 * 1024
const NO_FIELDS: ReadonlySet<string> = new Set()

/**
 * Splits a stream of bytes into numbered lines; blank lines are skipped. A long line is decoded as it arrives, and long
 * texts of the named fields are cut out of it.
 */
export class LineSplitter {
  readonly #take: (line: Line) => void
  readonly #mostBytes: number
  #bytes: Buffer[] = []
  #bytesHeld = 0
  #lineBytes = 0
  readonly #cutFields: ReadonlySet<string>
  #long: LongLine | null = null
  #broken = false
  #invalid: string | null = null
  #no = 0

  constructor(
    take: (line: Line) => void,
    mostBytes = MAX_LINE_BYTES,
    cutFields: ReadonlySet<string> = NO_FIELDS,
  ) {
    this.#take = take
    this.#mostBytes = mostBytes
    this.#cutFields = cutFields
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const first = bytes.indexOf(NEWLINE)
    if (first === -1) {
      this.#keep(bytes)
      return
    }
    this.#keep(bytes.subarray(0, first))
    this.#finishLine()
    const last = bytes.lastIndexOf(NEWLINE)
    if (last > first) this.#wholeLines(bytes.subarray(first + 1, last))
    this.#keep(bytes.subarray(last + 1))
  }

  end(): void {
    if (this.#lineBytes > 0) this.#finishLine()
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#lineBytes += bytes.length
    if (this.#lineBytes > this.#mostBytes) {
      const line = this.#no + 1
      const most = Math.floor(this.#mostBytes / (1024 * 1024))
      throw new CodedError('line_too_large', `Line ${line} is larger than ${most} MiB.`, { line })
    }
    this.#bytes.push(bytes)
    this.#bytesHeld += bytes.length
    if (this.#bytesHeld >= DECODE_BYTES) this.#decode(true)
  }

  #decode(more: boolean): void {
    const bytes = Buffer.concat(this.#bytes)
    const end = (more ? wholeCharacters(bytes) : bytes).length
    this.#bytes = end < bytes.length ? [Buffer.from(bytes.subarray(end))] : []
    this.#bytesHeld = bytes.length - end
    const text = this.#broken ? undefined : decoded(bytes.subarray(0, end))
    this.#broken = text === undefined
    if (text === undefined || this.#invalid !== null) return
    this.#long ??= new LongLine(this.#cutFields)
    try {
      this.#long.push(text)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      this.#invalid = error.message
    }
  }

  #finishLine(): void {
    const line = this.#long || this.#broken ? this.#longLine() : plainLine(Buffer.concat(this.#bytes))
    this.#bytes = []
    this.#bytesHeld = 0
    this.#lineBytes = 0
    this.#long = null
    this.#broken = false
    this.#invalid = null
    this.#give(line)
  }

  #longLine(): Omit<Line, 'no'> {
    this.#decode(false)
    const long = this.#long
    this.#long = null
    if (this.#broken) return { text: null }
    if (this.#invalid !== null) return { text: null, invalid: this.#invalid }
    return long?.end() ?? { text: null }
  }

  /** Handles many whole lines at once: they are decoded together if all of them are UTF-8. */
  #wholeLines(bytes: Buffer): void {
    if (isUtf8(bytes)) {
      for (const text of bytes.toString('utf8').split('\n')) this.#give({ text })
      return
    }
    for (let start = 0; start <= bytes.length; ) {
      const newline = bytes.indexOf(NEWLINE, start)
      const end = newline === -1 ? bytes.length : newline
      this.#give(plainLine(bytes.subarray(start, end)))
      start = end + 1
    }
  }

  #give({ text, ...found }: Omit<Line, 'no'>): void {
    const no = ++this.#no
    const plain = no === 1 && text?.startsWith('\uFEFF') ? text.slice(1) : text
    if (plain === null || /\S/.test(plain)) this.#take({ no, text: plain, ...found })
  }
}

function plainLine(bytes: Buffer): { text: string | null } {
  return { text: decoded(bytes) ?? null }
}

/** Undefined if the bytes are not UTF-8. */
function decoded(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}
