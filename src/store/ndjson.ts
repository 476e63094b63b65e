import { isUtf8 } from 'node:buffer'
import { CodedError } from '../model/errors.ts'

export const MAX_LINE_BYTES = 512 * 1024 * 1024

/** A line of the body; `text` is null when its bytes are not UTF-8. */
export interface Line {
  no: number
  text: string | null
}

const NEWLINE = 0x0a

/** Cuts a stream of bytes into numbered lines; blank ones are left out. */
export class LineSplitter {
  #pending: Buffer[] = []
  #pendingBytes = 0
  #no = 0

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#pendingBytes += bytes.length
    if (this.#pendingBytes > MAX_LINE_BYTES) {
      throw new CodedError('line_too_large', `Line ${this.#no + 1} is larger than 512 MiB.`, {
        line: this.#no + 1,
      })
    }
    this.#pending.push(bytes)
  }

  *push(chunk: Uint8Array): Generator<Line> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const first = bytes.indexOf(NEWLINE)
    if (first === -1) return this.#keep(bytes)
    this.#keep(bytes.subarray(0, first))
    yield* this.#take()
    const last = bytes.lastIndexOf(NEWLINE)
    if (last > first) yield* this.#lines(bytes.subarray(first + 1, last))
    this.#keep(bytes.subarray(last + 1))
  }

  *end(): Generator<Line> {
    if (this.#pendingBytes > 0) yield* this.#take()
  }

  *#take(): Generator<Line> {
    const bytes = this.#pending.length === 1 ? (this.#pending[0] as Buffer) : Buffer.concat(this.#pending)
    this.#pending = []
    this.#pendingBytes = 0
    yield* this.#line(bytes)
  }

  /** Many whole lines at once: decoded in one go when all of them are UTF-8. */
  *#lines(bytes: Buffer): Generator<Line> {
    if (isUtf8(bytes)) {
      for (const text of bytes.toString('utf8').split('\n')) yield* this.#numbered(text)
      return
    }
    for (let start = 0; start <= bytes.length; ) {
      const newline = bytes.indexOf(NEWLINE, start)
      const end = newline === -1 ? bytes.length : newline
      yield* this.#line(bytes.subarray(start, end))
      start = end + 1
    }
  }

  #line(bytes: Buffer): Generator<Line> {
    return this.#numbered(isUtf8(bytes) ? bytes.toString('utf8') : null)
  }

  *#numbered(text: string | null): Generator<Line> {
    const no = ++this.#no
    const plain = no === 1 && text?.startsWith('\uFEFF') ? text.slice(1) : text
    if (plain === null || plain.trim() !== '') yield { no, text: plain }
  }
}
