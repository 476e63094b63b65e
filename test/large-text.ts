import { createHash } from 'node:crypto'

// Several scripts, astral characters, combining marks, CRLF.
const SAMPLE =
  'Grüße äpfel e\u0301te\u0301 漢字仮名交じり文 заяц и волк \u{1F600}\u{1F44B}\u{1F3FD} \u{20BB7}野家 naïve \r\n'
const LINE_NO_CHARS = 9
const SAMPLE_CHARS = Array.from(SAMPLE).length

/** Text of any size in which every line is different and can be computed from its number. */
export class LargeText {
  readonly lines: number
  readonly lineChars = LINE_NO_CHARS + SAMPLE_CHARS

  constructor(lines: number) {
    this.lines = lines
  }

  static ofBytes(bytes: number): LargeText {
    return new LargeText(Math.ceil(bytes / (LINE_NO_CHARS + Buffer.byteLength(SAMPLE))))
  }

  get chars(): number {
    return this.lines * this.lineChars
  }

  line(no: number): string {
    return `${String(no).padStart(LINE_NO_CHARS - 1, '0')} ${SAMPLE}`
  }

  /** The code points from `start` up to `end`. */
  slice(start: number, end: number): string {
    const [first, last] = [
      Math.floor(start / this.lineChars),
      Math.ceil(Math.min(end, this.chars) / this.lineChars),
    ]
    const lines = Array.from({ length: Math.max(0, last - first) }, (_, index) => this.line(first + index))
    const offset = first * this.lineChars
    return Array.from(lines.join(''))
      .slice(start - offset, end - offset)
      .join('')
  }

  /** In chunks of about 100 KB. */
  *chunks(): Generator<string> {
    for (let no = 0; no < this.lines; no += 1_000) {
      const until = Math.min(this.lines, no + 1_000)
      yield Array.from({ length: until - no }, (_, index) => this.line(no + index)).join('')
    }
  }

  digest(): string {
    const hash = createHash('sha256')
    for (const chunk of this.chunks()) hash.update(chunk)
    return `sha256:${hash.digest('hex')}`
  }
}
