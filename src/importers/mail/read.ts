import { CodedError } from '../../model/errors.ts'
import { isObject, type Json } from '../../model/json.ts'
import { rejection } from '../events.ts'
import type { ImportEvent } from '../importer.ts'
import { type LineEnds, LineSplitter, openWithUsualLineEnds } from '../lines.ts'
import type { SourceFile } from '../source/source.ts'
import { MboxReader } from './mbox.ts'
import { MessageReader } from './message.ts'
import type { BlobPart, ParsedMessage } from './part-tree.ts'
import { mailRecord } from './record.ts'

export interface MailFile {
  file: SourceFile
  /** One message, or many with separators between them. */
  kind: 'eml' | 'mbox'
  mailbox: string | null
  lineEnds: LineEnds
}

type MessagePart =
  | BlobPart
  | { part: 'message'; message: ParsedMessage; fromLine: string | null; start: number; next: number }
  | { part: 'failure'; reason: string; start: number; next: number }

/** Every message of the files. A checkpoint holds the file and the byte where the next message begins. */
export async function* readMail(files: readonly MailFile[], from: Json | null): AsyncGenerator<ImportEvent> {
  const first = isObject(from) ? { file: Number(from.file), byte: Number(from.byte) } : { file: 0, byte: 0 }
  const total = files.reduce((sum, { file }) => sum + file.size, 0) || 1
  let before = 0
  for (const [index, mail] of files.entries()) {
    if (index >= first.file) {
      const start = index === first.file ? first.byte : 0
      const progress = (byte: number) => ({
        kind: 'checkpoint' as const,
        state: { file: index, byte },
        done: Math.min(1, (before + byte) / total),
      })
      yield* readFile(mail, start, progress)
      yield {
        kind: 'checkpoint',
        state: { file: index + 1, byte: 0 },
        done: (before + mail.file.size) / total,
      }
    }
    before += mail.file.size
  }
}

async function* readFile(
  mail: MailFile,
  start: number,
  progress: (byte: number) => ImportEvent,
): AsyncGenerator<ImportEvent> {
  const { path } = mail.file
  const place = (byte: number) => (mail.kind === 'mbox' ? `${path}, byte ${byte}` : path)
  const parts = partsOf(mail, start)
  let reached = start
  try {
    for (let next = await parts.next(); !next.done; next = await parts.next()) {
      const part = next.value
      if (part.part === 'whole') {
        yield { kind: 'blob', mime_type: part.mime_type, blob_id: part.blob_id, bytes: part.bytes }
      } else if (part.part === 'open') yield* streamed(part.mime_type, parts)
      else if (part.part === 'failure') {
        yield rejection(place(part.start), { code: 'unreadable_message', message: part.reason })
        reached = part.next
        yield progress(part.next)
      } else if (part.part === 'message') {
        yield eventOf(part.message, part.fromLine, mail, place(part.start))
        reached = part.next
        if (mail.kind === 'mbox') yield progress(part.next)
      }
    }
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    yield rejection(place(reached), { code: 'unreadable_file', message: error.message })
  }
}

/** A large part as a stream: its chunks are read by the consumer of the blob, or skipped. */
async function* streamed(mime_type: string, parts: AsyncGenerator<MessagePart>): AsyncGenerator<ImportEvent> {
  let open = true
  const take = async (): Promise<Buffer | null> => {
    const next = open ? await parts.next() : null
    if (next && !next.done && next.value.part === 'bytes') return next.value.bytes
    open = false
    return null
  }
  async function* bytes() {
    for (let chunk = await take(); chunk; chunk = await take()) yield chunk
  }
  yield { kind: 'blob', mime_type, blob_id: null, bytes: bytes() }
  while (await take());
}

function eventOf(
  message: ParsedMessage,
  fromLine: string | null,
  mail: MailFile,
  place: string,
): ImportEvent {
  const { headers } = message
  const reject = (code: string, message: string) => rejection(place, { code, message })
  if (headers.isEmpty) return reject('no_headers', 'The message has no headers.')
  if (/FOLDER INTERNAL DATA/i.test(headers.plain('subject') ?? ''))
    return reject('folder_data', 'This is an internal note of the mail program, not a message.')
  if (isExpunged(headers.plain('x-mozilla-status')))
    return reject('deleted_message', 'The mail program has marked the message as deleted.')
  const { id, data } = mailRecord(message, { fromLine, mailbox: mail.mailbox })
  return { kind: 'record', stream: 'emails', key: id, data, place }
}

const EXPUNGED = 0x0008

function isExpunged(status: string | undefined): boolean {
  return status !== undefined && (Number.parseInt(status, 16) & EXPUNGED) !== 0
}

/** The messages, each after its blobs. */
async function* partsOf(mail: MailFile, start: number): AsyncGenerator<MessagePart> {
  const ready: MessagePart[] = []
  const sink = mail.kind === 'mbox' ? mboxSink(ready, start) : messageSink(ready)
  for await (const chunk of openWithUsualLineEnds(mail.file, mail.lineEnds, start)) {
    sink.push(chunk)
    yield* ready
    ready.length = 0
  }
  sink.end()
  yield* ready
}

interface ByteSink {
  push(chunk: Uint8Array): void
  end(): void
}

function mboxSink(ready: MessagePart[], start: number): ByteSink {
  let current: OneMessage | null = null
  return new MboxReader(
    {
      begin(fromLine, position) {
        current = new OneMessage(ready, fromLine, position)
      },
      line: (line, end, continues) => current?.line(line, end, continues),
      end: position => current?.end(position),
    },
    start,
  )
}

function messageSink(ready: MessagePart[]): ByteSink {
  let fromLine: string | null = null
  let message: OneMessage | null = null
  const splitter = new LineSplitter((line, end, continues) => {
    if (!message) {
      // A single message may still begin with an mbox separator, a byte order mark or empty lines.
      const first =
        splitter.position === 0 && line.toString('latin1', 0, 3) === '\xef\xbb\xbf' ? line.subarray(3) : line
      if (first.length === 0) return
      const text = first.toString('latin1', 0, 1024)
      if (/^>?From (?! *:)/.test(text) && fromLine === null) {
        fromLine = text
        return
      }
      message = new OneMessage(ready, fromLine, 0)
      message.line(first, end, continues)
    } else message.line(line, end, continues)
  })
  return {
    push: chunk => splitter.push(chunk),
    end() {
      splitter.end()
      const whole = message ?? new OneMessage(ready, fromLine, 0)
      whole.end(splitter.position)
    },
  }
}

/** One message that is being read. An exception ends the message, not the import. */
class OneMessage {
  readonly #ready: MessagePart[]
  readonly #fromLine: string | null
  readonly #start: number
  readonly #reader: MessageReader
  #failure: string | null = null

  constructor(ready: MessagePart[], fromLine: string | null, start: number) {
    this.#ready = ready
    this.#fromLine = fromLine
    this.#start = start
    this.#reader = new MessageReader(part => ready.push(part))
  }

  line(...line: Parameters<MessageReader['line']>): void {
    this.#guarded(() => this.#reader.line(...line))
  }

  end(next: number): void {
    const message = this.#guarded(() => this.#reader.end())
    const place = { start: this.#start, next }
    if (message) this.#ready.push({ part: 'message', message, fromLine: this.#fromLine, ...place })
    else this.#ready.push({ part: 'close' }, { part: 'failure', reason: this.#failure ?? '', ...place })
  }

  #guarded<T>(work: () => T): T | null {
    if (this.#failure !== null) return null
    try {
      return work()
    } catch (error) {
      this.#failure = (error as Error).message
      return null
    }
  }
}
