import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { chatMessages } from './chats.ts'
import { jsonMessages } from './json.ts'
import { isMail, mailMessage, mailsOf } from './mail.ts'

/** A message as the comparison ingests it. */
export interface PlainMessage {
  subject: string
  from: string
  body: string
  received_at: string
}

const READ = /\.(mbox|eml|txt|md|jsonl?)$|\/[^./]+$/
/** Files that repeat a chat in another form, or that are not text. */
const BESIDE = /\.(ascii|annotation)\.txt$/
const ENTRY_BORDER = /^%\n/m
const LONGEST_DOCUMENT_CHARS = 4_000_000

/** Messages and documents of a folder, read roughly: the comparison needs real text, not a faithful import. */
export function* messagesIn(folder: string): Generator<PlainMessage> {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(file => READ.test(file) && !BESIDE.test(file))
    .sort()
  for (const file of files) {
    const bytes = readFileSync(file, 'latin1').replaceAll('\r\n', '\n')
    if (isMail(bytes)) yield* mailsOf(bytes).map(mailMessage)
    else {
      const text = readFileSync(file, 'utf8').replaceAll('\r\n', '\n')
      if (!text.includes('\0')) yield* textMessages(basename(file), text)
    }
  }
}

/** The messages of a file that is not mail: those of a chat, the entries of a list, or one document. */
function* textMessages(name: string, text: string): Generator<PlainMessage> {
  const found = (/\.jsonl?$/.test(name) ? jsonMessages(name, text) : null) ?? chatMessages(name, text)
  if (found) yield* found
  else {
    const documents = name.endsWith('.md') ? [text] : text.split(ENTRY_BORDER)
    for (const document of documents) {
      if (document.trim() === '') continue
      const body = document.slice(0, LONGEST_DOCUMENT_CHARS).toWellFormed()
      yield { subject: name, from: '', body, received_at: plainTime(0) }
    }
  }
}

/** A time in the form that the declaration needs; implausible times become the earliest one. */
export function plainTime(ms: number): string {
  const year = new Date(ms).getUTCFullYear()
  return new Date(year >= 1980 && year < 2100 ? ms : 0).toISOString()
}
