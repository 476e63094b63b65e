import { type SourceFile, skipTo } from './source/source.ts'
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

/** `cr`: as on old Macs; `cr cr lf`: written by a program that converted CR LF once more. */
export type LineEnds = 'usual' | 'cr' | 'cr cr lf'

/** Decided by the first bytes. */
export function lineEndsOf(head: Buffer): LineEnds {
  if (!head.includes(CR)) return 'usual'
  if (!head.includes(LF)) return 'cr'
  return /^\n|[^\r]\n|[^\r]\r\n/.test(head.toString('latin1')) ? 'usual' : 'cr cr lf'
}

/** The file as if its lines ended in the usual way. Positions are those in what is returned. */
export async function* openWithUsualLineEnds(
  file: Pick<SourceFile, 'open'>,
  ends: LineEnds,
  start: number,
): AsyncGenerator<Uint8Array> {
  if (ends === 'usual') yield* file.open(start)
  else if (ends === 'cr') for await (const chunk of file.open(start)) yield usualIn(Buffer.from(chunk), ends)
  else yield* skipTo(withoutExtra(file.open()), start)
}

export function usualIn(bytes: Buffer, ends: LineEnds): Buffer {
  if (ends === 'usual') return bytes
  const text = bytes.toString('latin1')
  return Buffer.from(
    ends === 'cr' ? text.replaceAll('\r', '\n') : text.replaceAll('\r\r\n', '\r\n'),
    'latin1',
  )
}

async function* withoutExtra(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([held, chunk])
    const last = /\r*$/.exec(bytes.toString('latin1', Math.max(0, bytes.length - 2)))?.[0].length ?? 0
    held = Buffer.from(bytes.subarray(bytes.length - last))
    yield usualIn(bytes.subarray(0, bytes.length - last), 'cr cr lf')
  }
  yield held
}
