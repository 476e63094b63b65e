import { createHash } from 'node:crypto'
import { blobIdOf } from '../../model/declaration/blob.ts'
import { type Declaration, streamOf } from '../../model/declaration/declaration.ts'
import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { RecentlyUsed } from '../../model/recently-used.ts'
import { attachmentField, PAGES_FIELD, TEXT_FIELD } from '../declare.ts'
import { rejection } from '../events.ts'
import type { BlobEvent, ImportEvent, RecordEvent } from '../importer.ts'
import { isPictureHead } from '../ocr/picture.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { decodeText } from '../utf8.ts'
import { isDocumentHead } from './document-head.ts'
import { type Extracted, Unreadable } from './extracted.ts'
import { extractor } from './extractor.ts'

const MOST_DOCUMENT_BYTES = 64 * 1024 * 1024
const MOST_TEXT_BYTES = 1024 * 1024
/** How many texts are kept for later records, which may have the same attachment. */
const MOST_KEPT = 64

type Reading = Pick<Extracted, 'text' | 'pages' | 'problem'> | Unreadable | null

/**
 * Adds the texts of attachments to the records that refer to them, in the order of the attachments, with null for an
 * attachment without text. An attachment whose text cannot be read is kept, and the reason is reported as a
 * rejection.
 */
export async function* readAttachments(
  events: AsyncIterable<ImportEvent>,
  declaration: Declaration,
): AsyncGenerator<ImportEvent> {
  const readings = new RecentlyUsed<Promise<Reading>>(MOST_KEPT)
  for await (const event of events) {
    if (event.kind === 'blob') yield watched(event, readings)
    else if (event.kind === 'record') yield* completed(event, declaration, readings)
    else yield event
  }
}

/** Passes the blob on unchanged. A copy is read as a document. */
function watched(event: BlobEvent, readings: RecentlyUsed<Promise<Reading>>): BlobEvent {
  const { bytes, mime_type, blob_id } = event
  if (bytes instanceof Uint8Array) {
    const reading = readingOf(bytes, mime_type)
    if (reading !== null) readings.set(blob_id ?? blobIdOf(bytes), reading)
    return event
  }
  async function* passedOn(chunks: AsyncIterable<Uint8Array>) {
    const hash = createHash('sha256')
    let copies: Uint8Array[] | null = null
    let size = 0
    for await (const chunk of chunks) {
      if (size === 0 && isReadable(chunk, mime_type)) copies = []
      size += chunk.length
      if (size > MOST_DOCUMENT_BYTES) copies = null
      if (copies) hash.update(chunk)
      copies?.push(Uint8Array.from(chunk))
      yield chunk
    }
    if (copies) readings.set(blobIdOf(hash), documentText(Buffer.concat(copies)))
  }
  return { ...event, bytes: passedOn(bytes) }
}

/** Whether the extractor may be able to read the file, judged by its first bytes. */
function isReadable(head: Uint8Array, mime_type: string): boolean {
  return isDocumentHead(head, '', mime_type) || (extractor.readsPictures && isPictureHead(head))
}

/** Null if the bytes contain no readable text. */
function readingOf(bytes: Uint8Array, mime_type: string): Promise<Reading> | null {
  if (isReadable(bytes, mime_type)) return documentText(Uint8Array.from(bytes))
  if (!/^text\/(plain|html|markdown|csv)$/.test(mime_type) || bytes.length > MOST_TEXT_BYTES) return null
  const written = decodeText(Buffer.from(bytes)).replace(/\r\n?/g, '\n')
  return Promise.resolve({
    text: mime_type === 'text/html' ? textOfHtml(written) : written.trim(),
    pages: null,
  })
}

function documentText(bytes: Uint8Array): Promise<Reading> {
  return extractor.read(bytes).catch(error => {
    if (error instanceof Unreadable) return error
    throw error
  })
}

async function* completed(
  event: RecordEvent,
  declaration: Declaration,
  readings: RecentlyUsed<Promise<Reading>>,
): AsyncGenerator<ImportEvent> {
  const stream = streamOf(declaration, event.stream)
  const field = stream && attachmentField(stream)
  const files = field === undefined ? null : event.data[field]
  if (!Array.isArray(files) || files.length === 0) {
    yield event
    return
  }
  const known = event.data[TEXT_FIELD]
  const texts: Json[] = files.map((_, index) => (Array.isArray(known) ? (known[index] ?? null) : null))
  const pages: Json[] = files.map(() => null)
  const problems: ImportEvent[] = []
  for (const [index, file] of files.entries()) {
    if (!isObject(file) || texts[index] !== null) continue
    const reading = await readings.known(String(file.blob_id))
    const problem = reading instanceof Unreadable ? reading : reading?.problem
    if (problem) problems.push(problemOf(event, file, problem))
    if (reading && !(reading instanceof Unreadable) && reading.text !== '') {
      texts[index] = reading.text
      pages[index] = reading.pages
    }
  }
  const hasPages = pages.some(each => each !== null)
  const data: JsonObject = {
    ...event.data,
    ...(texts.some(text => text !== null) ? { [TEXT_FIELD]: texts } : {}),
    ...(hasPages ? { [PAGES_FIELD]: pages } : {}),
  }
  yield { ...event, data }
  yield* problems
}

function problemOf({ place }: RecordEvent, file: JsonObject, { code, message }: Unreadable): ImportEvent {
  const name = typeof file.name === 'string' ? file.name : 'an attachment'
  return rejection(`${place}, ${name}`, { code, message: `${message} The file itself is kept.` })
}
