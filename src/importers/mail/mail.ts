import { CodedError } from '../../model/errors.ts'
import { rejection } from '../events.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { LineSplitter, lineEndsOf, openWithUsualLineEnds, usualIn } from '../lines.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { parseMailDate } from './dates.ts'
import { MAIL } from './declaration.ts'
import { decodeWords } from './headers.ts'
import { isFromLine, MboxReader } from './mbox.ts'
import { MessageReader } from './message.ts'
import { type MailFile, readMail } from './read.ts'
import { NAMED_MAIL } from './sign.ts'

/**
 * Mail of every kind in the source is imported together, under the format that most messages have, so a folder may
 * contain both mailboxes and single messages.
 */
export const recognise: Recognise = async (signed, source, format) => {
  const survey = await surveyOf(source)
  if (survey === null) {
    const files = signed.filter(({ path }) => NAMED_MAIL.test(path))
    const [named] = files
    const reason = named?.size === 0 ? 'is empty' : 'is named like mail but does not begin with mail headers'
    return named && format === 'mbox' ? { lookalike: `${named.path} ${reason}.`, files } : null
  }
  if (survey.format !== format) return null
  const { files, items, exact, span, lookalikes } = survey
  return {
    files: [...files.map(({ file }) => file), ...lookalikes],
    items,
    exact,
    span,
    declaration: MAIL,
    account: null,
    name: null,
    async *read(from) {
      if (from === null) yield* refused(lookalikes)
      yield* readMail(files, from)
    },
  }
}

function* refused(files: readonly SourceFile[]): Generator<ImportEvent> {
  for (const { path, size } of files) {
    const message = size === 0 ? 'The file is empty.' : 'The file does not begin with mail headers.'
    yield rejection(path, { code: 'not_mail', message })
  }
}

type MailFormat = 'mbox' | 'google-takeout-mail' | 'eml' | 'maildir'

/** The mail of a source, of every kind. */
interface Survey {
  files: MailFile[]
  /** The kind of most messages. */
  format: MailFormat
  items: number
  exact: boolean
  span: { first: string; last: string } | null
  /** Files that are named like mail but are not mail. */
  lookalikes: SourceFile[]
}

const surveys = new WeakMap<Source, Promise<Survey | null>>()

/** Examines the source once for all mail formats. */
function surveyOf(source: Source): Promise<Survey | null> {
  let survey = surveys.get(source)
  if (!survey) {
    survey = look(source)
    surveys.set(source, survey)
  }
  return survey
}

const MAILDIR = /(?:^|\/)(?:cur|new)\/[^/]+$/
const SCAN_BYTES = 32 * 1024 * 1024

async function look(source: Source): Promise<Survey | null> {
  const files: MailFile[] = []
  const lookalikes: SourceFile[] = []
  const counts: Record<MailFormat, number> = { mbox: 0, 'google-takeout-mail': 0, eml: 0, maildir: 0 }
  const tally = new Tally()
  let mboxBytes = 0
  for (const file of source.files) {
    const start = file.size === 0 ? Buffer.alloc(0) : await file.head().catch(() => Buffer.alloc(0))
    const lineEnds = lineEndsOf(start)
    const head = usualIn(start, lineEnds)
    const kind = isWebArchive(head, file.path) ? null : kindOf(head, NAMED_MAIL.test(file.path))
    if (kind === null) {
      if (NAMED_MAIL.test(file.path)) lookalikes.push(file)
      continue
    }
    const mail = { file, kind, mailbox: mailboxOf(source, file, kind), lineEnds }
    files.push(mail)
    if (kind === 'eml') {
      counts[MAILDIR.test(file.path) ? 'maildir' : 'eml']++
      tally.note(/^date:(.*)$/im.exec(head.toString('latin1'))?.[1])
    } else {
      const found = await scanMbox(mail, Math.max(0, SCAN_BYTES - mboxBytes), tally)
      mboxBytes += file.size
      const gmail = /^X-(Gmail-Labels|GM-THRID):/im.test(head.toString('latin1'))
      counts[gmail ? 'google-takeout-mail' : 'mbox'] += found
    }
  }
  if (files.length === 0) return null
  const [format] = Object.entries(counts).reduce((most, next) => (next[1] > most[1] ? next : most))
  const items = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return {
    files,
    format: format as MailFormat,
    items: Math.round(items),
    exact: mboxBytes <= SCAN_BYTES,
    span: tally.span,
    lookalikes,
  }
}

/** Decides by the first bytes: an mbox separator or mail headers. */
function kindOf(head: Buffer, named: boolean): 'mbox' | 'eml' | null {
  const text = head
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .replace(/^[\r\n]+/, '')
  const [first = '', ...rest] = text.split(/\r?\n/)
  if (isFromLine(Buffer.from(first, 'latin1'))) return hasMailHeaders(rest, 1) ? 'mbox' : null
  const separated = /^>?From (?! *:)/.test(first)
  return hasMailHeaders(separated ? rest : [first, ...rest], named ? 1 : 2) ? 'eml' : null
}

const HEADER =
  /^(from|to|cc|bcc|subject|date|message-id|received|return-path|delivered-to|reply-to|sender|in-reply-to|references|mime-version|content-type|content-transfer-encoding|content-disposition|dkim-signature|list-[a-z]+|errors-to|resent-[a-z]+|envelope-to|arc-[a-z-]+|authentication-results|delivery-date|user-agent|thread-[a-z]+|x-(?:mailer|gmail-labels|gm-[a-z]+|mozilla-[a-z]+|uidl|originating-ip|spam-[a-z]+|original-to))$/

/**
 * Whether there are at least `enough` different headers that are typical of mail. A multipart content type alone is
 * enough.
 */
function hasMailHeaders(lines: string[], enough: number): boolean {
  const names = new Set<string>()
  for (const line of lines.slice(0, 60)) {
    if (line === '') break
    if (/^[ \t]/.test(line) || /^>From /.test(line)) continue
    const name = /^([!-9;-~]{1,100})[ \t]*:/.exec(line)?.[1]?.toLowerCase()
    if (name === undefined) break
    if (HEADER.test(name)) names.add(name)
    if (name === 'content-type' && /:\s*multipart\/[^;]+;/i.test(line)) return true
  }
  return names.size >= enough
}

/** The mailbox of a file, from its path; null if the file is the whole source. */
function mailboxOf(source: Source, file: SourceFile, kind: 'mbox' | 'eml'): string | null {
  if (source.kind === 'file' || source.kind === 'gzip') return null
  if (kind === 'mbox') return file.path.replace(/\/mbox$/i, '').replace(/\.(mbox|mbx|txt)$/i, '')
  const folder = file.path.includes('/') ? file.path.slice(0, file.path.lastIndexOf('/')) : ''
  return folder.replace(/(^|\/)(cur|new)$/, '').replace(/(^|\/)\.(?=[^./])/g, '$1') || null
}

/** Counts the messages in the first bytes of an mbox and estimates the rest. */
async function scanMbox({ file, lineEnds }: MailFile, budget: number, tally: Tally): Promise<number> {
  const bytes = Math.max(budget, 256 * 1024)
  let found = 0
  let read = 0
  const reader = new MboxReader({
    begin(fromLine) {
      found++
      tally.note(fromLine)
    },
    line() {},
    end() {},
  })
  try {
    for await (const chunk of openWithUsualLineEnds(file, lineEnds, 0)) {
      reader.push(chunk)
      read += chunk.length
      if (read >= bytes) break
    }
  } catch (error) {
    // The messages before the damage are imported.
    if (!(error instanceof CodedError) || found === 0) throw error
    return found
  }
  reader.end()
  return read >= file.size ? found : (found * file.size) / Math.max(1, read)
}

class Tally {
  #first: string | null = null
  #last: string | null = null

  note(text: string | undefined): void {
    const time = text === undefined ? null : parseMailDate(text)?.utc
    if (!time) return
    if (this.#first === null || time < this.#first) this.#first = time
    if (this.#last === null || time > this.#last) this.#last = time
  }

  get span(): { first: string; last: string } | null {
    return this.#first === null || this.#last === null ? null : { first: this.#first, last: this.#last }
  }
}

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
