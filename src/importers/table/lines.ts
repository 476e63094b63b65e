import { utf8Of } from '../utf8.ts'

const MOST_LINE_BYTES = 64 * 1024 * 1024
const NEWLINE = 0x0a

export interface Line {
  number: number
  /** Null when the line is too long to be held. */
  text: string | null
  end: number
}

/** The lines of a file that hold something. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let parts: Uint8Array[] = []
  let held = 0
  let number = 1
  let end = 0
  const take = (bytes: Uint8Array) => {
    held += bytes.length
    if (held <= MOST_LINE_BYTES) parts.push(bytes)
    else parts = []
  }
  const finish = (): Line | null => {
    const text = held > MOST_LINE_BYTES ? null : Buffer.concat(parts).toString('utf8').trim()
    const line = text === '' ? null : { number, text, end }
    parts = []
    held = 0
    number++
    return line
  }
  for await (const chunk of utf8Of(chunks)) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, at))
      const line = finish()
      if (line) yield { ...line, end: end + at }
      from = at + 1
    }
    take(chunk.subarray(from))
    end += chunk.length
  }
  const last = finish()
  if (last) yield { ...last, end }
}
