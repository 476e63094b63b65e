import { LineSplitter } from '../lines.ts'
import { decodeWords } from './headers.ts'
import { MessageReader } from './message.ts'

const NAMED = /\.mht(?:ml)?$/i
const SAVED = /^(?:Snapshot-Content-Location:|From:\s*["<]*Saved by )/im
const WITH_PARTS = /^Content-Type:\s*(?:multipart\/related|text\/html)/im

/** Whether a file that begins like mail is a web page that a browser saved with its pictures (MHTML). */
export function isWebArchive(head: Buffer, path: string): boolean {
  const [headers = ''] = head.toString('latin1').split(/\r?\n\r?\n/, 1)
  return WITH_PARTS.test(headers) && (NAMED.test(path) || SAVED.test(headers))
}

/** The text of the page and of its frames. */
export function readWebArchive(bytes: Uint8Array): { title: string | null; text: string } {
  const reader = new MessageReader(() => {})
  const splitter = new LineSplitter((line, end, continues) => reader.line(line, end, continues))
  splitter.push(bytes)
  splitter.end()
  const { headers, body } = reader.end()
  return { title: decodeWords(headers.plain('subject') ?? '').trim() || null, text: body }
}
