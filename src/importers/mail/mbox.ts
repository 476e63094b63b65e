import { type LineEnd, LineSplitter } from '../lines.ts'

/** Receives the messages of an mbox. Positions are byte offsets in the file. */
interface MboxHandler {
  begin(fromLine: string, position: number): void
  line(line: Buffer, end: LineEnd, continues: boolean): void
  /** The message has ended; the next one begins at `position`. */
  end(position: number): void
}

const SEPARATOR =
  /^From .*\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w*\b.*\b\d{1,2}:\d{2}(?::\d{2})?\b|^From \S+ *$/
const YEAR = /\b(?:19|20)\d\d\b/

/** The line that separates messages: sender and date. Text that merely begins with From has no such date. */
export function isFromLine(line: Buffer): boolean {
  if (line[0] !== 0x46 || line[4] !== 0x20 || line.length > 1024) return false
  const text = line.toString('latin1')
  return text.startsWith('From ') && SEPARATOR.test(text) && YEAR.test(text)
}

/** A line that a message's headers may begin with. */
function isHeaderLine(line: Buffer): boolean {
  const colon = line.indexOf(0x3a)
  if (colon <= 0 || colon > 100) return false
  return /^[!-9;-~]+[ \t]*$/.test(line.toString('latin1', 0, colon))
}

/**
 * Splits an mbox into messages. A separator must be at the start or after an empty line, and a header must follow it,
 * so a body that quotes a separator is rarely split. `>From` loses one `>`.
 */
export class MboxReader {
  readonly #handler: MboxHandler
  readonly #splitter: LineSplitter
  #inMessage = false
  #afterBlank = true
  /** A possible separator, until the next line shows whether it is one. */
  #candidate: { line: Buffer; end: LineEnd; position: number } | null = null

  /** `position`: the position of the first byte in the file; a message begins there. */
  constructor(handler: MboxHandler, position = 0) {
    this.#handler = handler
    this.#splitter = new LineSplitter((line, end, continues) => this.#line(line, end, continues), position)
  }

  push(chunk: Uint8Array): void {
    this.#splitter.push(chunk)
  }

  end(): void {
    this.#splitter.end()
    const candidate = this.#candidate
    this.#candidate = null
    if (candidate) this.#body(candidate.line, candidate.end, false)
    if (this.#inMessage) this.#handler.end(this.#splitter.position)
  }

  #line(line: Buffer, end: LineEnd, continues: boolean): void {
    const candidate = this.#candidate
    if (candidate) {
      this.#candidate = null
      if (isHeaderLine(line) || line.toString('latin1', 0, 6) === '>From ') {
        if (this.#inMessage) this.#handler.end(candidate.position)
        this.#inMessage = true
        this.#handler.begin(candidate.line.toString('latin1'), candidate.position)
      } else this.#body(candidate.line, candidate.end, false)
    }
    if (!continues && this.#afterBlank && isFromLine(line)) {
      this.#candidate = { line: Buffer.from(line), end, position: this.#splitter.position }
      return
    }
    this.#body(line, end, continues)
  }

  #body(line: Buffer, end: LineEnd, continues: boolean): void {
    this.#afterBlank = line.length === 0 && !continues
    if (!this.#inMessage) return
    this.#handler.line(!continues && isQuoted(line) ? line.subarray(1) : line, end, continues)
  }
}

/** `>From `, `>>From ` … */
function isQuoted(line: Buffer): boolean {
  if (line[0] !== 0x3e) return false
  let at = 1
  while (line[at] === 0x3e) at++
  return line[at] === 0x46 && line.toString('latin1', at, at + 5) === 'From '
}
