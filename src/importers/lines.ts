/** How a line ends: with LF, with CRLF, or not at all, because it continues or the file ends. */
export type LineEnd = '' | '\n' | '\r\n'

/** `continues`: the bytes belong to the same line as those before. */
export type LineTaker = (line: Buffer, end: LineEnd, continues: boolean) => void

const LF = 0x0a
const CR = 0x0d
/** A longer line is passed on in parts, so that a line of any length needs little memory. */
const PART_BYTES = 64 * 1024

export class LineSplitter {
  readonly #take: LineTaker
  #rest: Buffer[] = []
  #restBytes = 0
  #continues = false
  /** The byte where the next line, or the next part of one, begins. */
  position: number

  constructor(take: LineTaker, position = 0) {
    this.#take = take
    this.position = position
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    for (let newline = bytes.indexOf(LF); newline !== -1; newline = bytes.indexOf(LF, start)) {
      const piece = bytes.subarray(start, newline)
      start = newline + 1
      this.#line(this.#restBytes === 0 ? piece : this.#joined(piece))
    }
    if (start === bytes.length) return
    this.#rest.push(bytes.subarray(start))
    this.#restBytes += bytes.length - start
    if (this.#restBytes > PART_BYTES) this.#part()
  }

  end(): void {
    const last = this.#joined()
    if (last.length > 0 || this.#continues) this.#give(last, '', last.length)
    this.#continues = false
  }

  #line(line: Buffer): void {
    const crlf = line.length > 0 && line[line.length - 1] === CR
    this.#give(crlf ? line.subarray(0, -1) : line, crlf ? '\r\n' : '\n', line.length + 1)
    this.#continues = false
  }

  /**
   * Passes on the held part of a long line except its last byte, which may be a CR that belongs to the line ending.
   */
  #part(): void {
    const all = this.#joined()
    this.#give(all.subarray(0, -1), '', all.length - 1)
    this.#continues = true
    this.#rest = [all.subarray(-1)]
    this.#restBytes = 1
  }

  #give(line: Buffer, end: LineEnd, bytes: number): void {
    this.#take(line, end, this.#continues)
    this.position += bytes
  }

  #joined(piece?: Buffer): Buffer {
    const parts = piece ? [...this.#rest, piece] : this.#rest
    this.#rest = []
    this.#restBytes = 0
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
  }
}
