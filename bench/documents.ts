import { words } from './mail.ts'
import { seeded } from './random.ts'

const KB = 1_000
const MB = 1_000_000

/** Long texts by the size of their field in characters; the first one stays inside its record. */
export const DOCUMENTS = {
  '10 KB': { id: 'd-10k', chars: 10 * KB },
  '1 MB': { id: 'd-1m', chars: MB },
  '10 MB': { id: 'd-10m', chars: 10 * MB },
  '50 MB': { id: 'd-50m', chars: 50 * MB },
  '100 MB': { id: 'd-100m', chars: 100 * MB },
} as const

export type DocumentSize = keyof typeof DOCUMENTS

/** Occurs once in each document that is long enough, shortly before its end. */
export const NEEDLE = 'The Heron crossed the frozen Harbour'
const NEEDLE_FROM_END = 10 * KB
const CHAPTER_CHARS = 64 * KB

/** The line to ingest, in small parts. Every character is one code point and usually one byte. */
export function* documentLine(size: DocumentSize): Generator<string> {
  const { id, chars } = DOCUMENTS[size]
  const random = seeded(chars)
  const chapter = `${words(random, CHAPTER_CHARS - 200)} naïve café — 3 °C `
  yield `{"data":{"id":"${id}","received_at":"2024-06-01T12:00:00Z","text":"`
  const needleAt = chars - NEEDLE_FROM_END - NEEDLE.length
  let written = 0
  for (let number = 0; written < chars; number++) {
    let part = `Chapter ${number}. ${chapter}`.slice(0, chars - written)
    const at = needleAt - written
    if (at >= 0 && at + NEEDLE.length <= part.length && chars > NEEDLE_FROM_END * 2)
      part = part.slice(0, at) + NEEDLE + part.slice(at + NEEDLE.length)
    yield part
    written += part.length
  }
  yield '"}}\n'
}
