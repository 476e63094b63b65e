import { isUtf8 } from 'node:buffer'
import { CodedError } from '../../model/errors.ts'

export const MAX_LINE_BYTES = 512 * 1024 * 1024

/** A line of the body; `text` is null when its bytes are not UTF-8. */
export interface Line {
  no: number
  text: string | null
}

const NEWLINE = 0x0a
const DECODE_BYTES = 1024 * 1024

/** Splits a stream of bytes into numbered lines; blank lines are left out. A long line is decoded as it arrives. */
export class LineSplitter {
  readonly #take: (line: Line) => void
  readonly #mostBytes: number
  #bytes: Buffer[] = []
  #bytesHeld = 0
  #lineBytes = 0
  #decoded: string[] = []
  #decoder: InstanceType<typeof TextDecoder> | null = null
  #broken = false
  #no = 0

  constructor(take: (line: Line) => void, mostBytes = MAX_LINE_BYTES) {
    this.#take = take
    this.#mostBytes = mostBytes
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
    this.#bytes = []
    this.#bytesHeld = 0
    if (this.#broken) return
    this.#decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    try {
      this.#decoded.push(this.#decoder.decode(bytes, { stream: more }))
    } catch {
      this.#broken = true
      this.#decoded = []
    }
  }

  #finishLine(): void {
    if (this.#decoder || this.#broken) this.#decode(false)
    else this.#decoded = decodeOnce(Buffer.concat(this.#bytes))
    const text = this.#broken || this.#decoded.length === 0 ? null : join(this.#decoded)
    this.#bytes = []
    this.#bytesHeld = 0
    this.#lineBytes = 0
    this.#decoded = []
    this.#decoder = null
    this.#broken = false
    this.#give(text)
  }

  /** Many whole lines at once: decoded in one go when all of them are UTF-8. */
  #wholeLines(bytes: Buffer): void {
    if (isUtf8(bytes)) {
      for (const text of bytes.toString('utf8').split('\n')) this.#give(text)
      return
    }
    for (let start = 0; start <= bytes.length; ) {
      const newline = bytes.indexOf(NEWLINE, start)
      const end = newline === -1 ? bytes.length : newline
      this.#give(decodeOnce(bytes.subarray(start, end))[0] ?? null)
      start = end + 1
    }
  }

  #give(text: string | null): void {
    const no = ++this.#no
    const plain = no === 1 && text?.startsWith('\uFEFF') ? text.slice(1) : text
    if (plain === null || /\S/.test(plain)) this.#take({ no, text: plain })
  }
}

function decodeOnce(bytes: Buffer): string[] {
  return isUtf8(bytes) ? [bytes.toString('utf8')] : []
}

/** A line whose text is longer than a string can be is too large as well. */
function join(parts: string[]): string {
  try {
    return parts.length === 1 ? (parts[0] ?? '') : parts.join('')
  } catch {
    throw new CodedError('line_too_large', 'A line is larger than 512 MiB.')
  }
}
