import { CodedError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import { ANY_RANGE, COUNT, TEXT, TIME } from '../field-types.ts'
import type { ImportEvent, Importer } from '../importer.ts'
import { problemOf } from '../json-items.ts'
import { declareSource } from '../own-source.ts'
import { folderIn, nameIn } from '../reading/attached-files.ts'
import { filesWith, findingOf } from '../reading/exported-files.ts'
import { readFileItems } from '../reading/file-items.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { recordIdOf } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { startOf } from '../utf8.ts'

export const DOCUMENTS = declareSource('documents', 'Documents', [
  {
    name: 'documents',
    semantics: 'mutable_state',
    display: {
      label: 'Your documents',
      detail: 'Texts and web pages in folders, with their names and times.',
    },
    schema: {
      type: 'object',
      required: ['id', 'path'],
      properties: {
        id: { type: 'string' },
        title: { ...TEXT, x_pdpp_role: 'primary-title' },
        text: { ...TEXT, contentMediaType: 'text/plain', x_pdpp_role: 'primary-text' },
        path: { type: 'string' },
        folder: { type: 'string', x_pdpp_role: 'place' },
        kind: { enum: ['text', 'web page'], type: 'string' },
        modified_at: { ...TIME, x_pdpp_role: 'event-time' },
        size_bytes: COUNT,
      },
    },
    primary_key: ['id'],
    cursor_field: 'modified_at',
    consent_time_field: 'modified_at',
    selection: { fields: true, resources: true },
    views: [
      {
        id: 'titles',
        label: 'Titles, folders and dates; no text',
        fields: ['id', 'title', 'path', 'folder', 'modified_at'],
      },
    ],
    query: {
      search: { lexical_fields: ['title', 'text', 'path'] },
      range_filters: { modified_at: ANY_RANGE, size_bytes: ANY_RANGE },
      aggregations: {
        count: true,
        sum: ['size_bytes'],
        min: ['modified_at'],
        max: ['modified_at', 'size_bytes'],
        group_by: ['folder', 'kind'],
        group_by_time: ['modified_at'],
      },
    },
  },
])

const MOST_BYTES = 64 * 1024 * 1024
const WEB_PAGE = /\.x?html?$/i

export const documents: Importer = {
  format: 'documents',
  label: 'Documents (plain text and HTML)',
  stage: 'document',
  async recognise(source) {
    const files = await filesWith(
      source.files.filter(({ path }) => !/(^|\/)\./.test(path)),
      /\.(?:txt|text|x?html?)$/i,
      head => head.trim() !== '' && !/^\s*BEGIN:V/i.test(head),
    )
    if (files.length === 0) return null
    const finding = findingOf(DOCUMENTS, files, 1, from =>
      readFileItems(files, from, async function* (file) {
        yield { events: () => documentEvents(file), end: file.size }
      }),
    )
    return { ...finding, items: files.length, exact: true }
  },
}

async function* documentEvents(file: SourceFile): AsyncGenerator<ImportEvent> {
  try {
    const { bytes, whole } = await startOf(file, MOST_BYTES)
    if (!whole) {
      yield { kind: 'rejection', place: file.path, ...problemOf('too_large') }
      return
    }
    const data = documentOf(file, bytes.toString('utf8').replace(/\r\n?/g, '\n'))
    yield { kind: 'record', stream: 'documents', key: String(data.id), data, place: file.path }
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    yield { kind: 'rejection', place: file.path, code: error.code, message: error.message }
  }
}

/** A document keeps its id when its text changes: it is identified by its path. */
function documentOf(file: SourceFile, written: string): JsonObject {
  const path = file.path.normalize('NFC')
  const isPage = WEB_PAGE.test(path)
  const text = isPage ? textOfHtml(written) : written.trim()
  const heading = isPage ? /<title\b[^>]*>([\s\S]{0,1000}?)<\/title>/i.exec(written)?.[1] : undefined
  return {
    id: recordIdOf('document', path),
    title: (heading === undefined ? '' : textOfHtml(heading)) || nameIn(path).replace(/\.\w+$/, ''),
    text: text === '' ? null : text,
    path,
    folder: folderIn(path).replace(/\/$/, ''),
    kind: isPage ? 'web page' : 'text',
    modified_at: file.modified_at,
    size_bytes: file.size,
  }
}
