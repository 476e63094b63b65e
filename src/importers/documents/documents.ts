import { blobIdOf } from '../../model/declaration/blob.ts'
import { CodedError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import { rejection, TOO_LARGE } from '../events.ts'
import { isDocumentHead } from '../extraction/document-head.ts'
import { type Extracted, Unreadable } from '../extraction/extracted.ts'
import { extractor } from '../extraction/extractor.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { isWebArchive, readWebArchive } from '../mail/mail.ts'
import { mediaTypeOf } from '../media-type.ts'
import { folderIn, nameIn } from '../reading/attached-files.ts'
import { findingOf, itemPerFile, wholeFile } from '../reading/exported-files.ts'
import { headText } from '../reading/head.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { recordIdOf } from '../record-id.ts'
import { HEAD_BYTES, type SourceFile } from '../source/source.ts'
import { isTakeoutIndex } from '../source/telling-name.ts'
import { decodeText } from '../utf8.ts'
import { DOCUMENTS } from './declaration.ts'

const MOST_BYTES = 64 * 1024 * 1024
const TEXT_FILE = /\.(?:txt|text|x?html?)$/i
const WEB_PAGE = /\.x?html?$/i

export const recognise: Recognise = async signed => {
  const files: SourceFile[] = []
  for (const file of signed) if (await isDocument(file)) files.push(file)
  if (files.length === 0) return null
  const itemsOf = itemPerFile(documentEvents)
  return findingOf(DOCUMENTS, files, 1, () => itemsOf, { items: files.length, exact: true })
}

async function isDocument(file: SourceFile): Promise<boolean> {
  if (/(^|\/)\./.test(file.path) || file.size === 0 || isTakeoutIndex(file.path)) return false
  const head = await file.head().catch(() => Buffer.alloc(0))
  if (isDocumentHead(head, file.path) || isWebArchive(head, file.path)) return true
  if (!TEXT_FILE.test(file.path)) return false
  const text = await headText(file)
  return text.trim() !== '' && !/^\s*BEGIN:V/i.test(text)
}

async function* documentEvents(file: SourceFile): AsyncGenerator<ImportEvent> {
  const place = file.path
  try {
    const bytes = await wholeFile(file, MOST_BYTES)
    if (bytes === null) {
      yield rejection(place, TOO_LARGE)
      return
    }
    const extracted = isDocumentHead(bytes, file.path)
      ? await extractor.read(bytes)
      : writtenText(file, bytes)
    if (extracted === null) {
      yield rejection(place, { code: 'not_a_document', message: 'The file is an archive, not a document.' })
      return
    }
    const data = documentOf(file, extracted)
    if (extracted.kind !== 'text') {
      const blob_id = blobIdOf(bytes)
      const [name, mime_type] = [nameIn(file.path), mediaTypeOf(file.path)]
      data.file = { blob_id, name, mime_type, size_bytes: bytes.length }
      yield { kind: 'blob', mime_type, blob_id, bytes }
    }
    yield { kind: 'record', stream: 'documents', key: String(data.id), data, place }
    if (extracted.problem) {
      const { code, message } = extracted.problem
      const kept = 'The document is kept, without the text of its pictures.'
      yield rejection(place, { code, message: `${message} ${kept}` })
    }
  } catch (error) {
    if (!(error instanceof CodedError || error instanceof Unreadable)) throw error
    yield rejection(place, error)
  }
}

type Text = Omit<Extracted, 'kind'> & { kind: Extracted['kind'] | 'text' | 'web page' }

function writtenText(file: SourceFile, bytes: Buffer): Text {
  const none = { pages: null, author: null, created_at: null }
  if (isWebArchive(bytes.subarray(0, HEAD_BYTES), file.path))
    return { kind: 'web page', ...readWebArchive(bytes), ...none }
  const written = decodeText(bytes).replace(/\r\n?/g, '\n')
  if (!WEB_PAGE.test(file.path)) return { kind: 'text', text: written.trim(), title: null, ...none }
  const heading = /<title\b[^<>]*>([\s\S]{0,1000}?)<\/title>/i.exec(written)?.[1]
  const title = heading === undefined ? null : textOfHtml(heading)
  return { kind: 'web page', text: textOfHtml(written), title, ...none }
}

/** A title that was written by a program, not by a person. */
const NOT_A_TITLE = /^(microsoft (word|excel|powerpoint) - |untitled|powerpoint[ -]pr|document\d*$|slide 1$)/i

/** A document is identified by its path, so it keeps its id when its text changes. */
function documentOf(file: SourceFile, { kind, text, pages, title, author, created_at }: Text): JsonObject {
  const path = file.path.normalize('NFC')
  const own = title === null || NOT_A_TITLE.test(title) ? '' : title
  return {
    id: recordIdOf('document', path),
    title: own || nameIn(path).replace(/\.\w+$/, ''),
    text: text === '' ? null : text,
    ...(pages === null ? {} : { pages }),
    ...(author === null ? {} : { author }),
    path,
    folder: folderIn(path).replace(/\/$/, ''),
    kind,
    ...(created_at === null ? {} : { created_at }),
    modified_at: file.modified_at,
    size_bytes: file.size,
  }
}
