import { LineSplitter } from '../lines.ts'
import { utf8Of } from '../utf8.ts'

const MOST_LINE_BYTES = 64 * 1024 * 1024

interface Line {
  number: number
  /** Null if the line is too long. */
  text: string | null
  /** Bytes of the file up to the end of the line, for progress. */
  end: number
}

/** The lines of a text file, including blank ones, without line endings. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const ready: Line[] = []
  let parts: Buffer[] = []
  let held = 0
  let number = 0
  let isOpen = false
  const finish = () => {
    number++
    const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
    const text = held > MOST_LINE_BYTES ? null : whole.toString('utf8')
    ready.push({ number, text, end: splitter.position })
    parts = []
    held = 0
    isOpen = false
  }
  const splitter = new LineSplitter((line, end) => {
    held += line.length
    isOpen = true
    if (held <= MOST_LINE_BYTES) parts.push(line)
    else parts = []
    if (end !== '') finish()
  })
  for await (const chunk of utf8Of(chunks)) {
    splitter.push(chunk)
    yield* ready
    ready.length = 0
  }
  splitter.end()
  if (isOpen) finish()
  yield* ready
}
