import { declareSource, recordStream } from '../declare.ts'
import * as f from '../fields.ts'

export const DOCUMENTS = declareSource('documents', 'Documents', [
  recordStream({
    name: 'documents',
    label: 'Your documents',
    detail: 'PDF and office documents, e-books, texts and web pages, with their names and times.',
    required: ['path'],
    properties: {
      title: f.TITLE,
      text: { ...f.PLAIN_TEXT, x_pdpp_pages: 'pages' },
      pages: f.PAGES,
      author: f.ACTOR,
      path: f.STRING,
      folder: { type: 'string', x_pdpp_role: 'place' },
      kind: f.STRING,
      created_at: f.TIME,
      modified_at: f.EVENT_TIME,
      size_bytes: f.COUNT,
      file: {
        type: 'object',
        x_pdpp_role: 'attachment',
        properties: { blob_id: f.STRING, name: f.STRING, mime_type: f.STRING, size_bytes: f.COUNT },
      },
    },
    time: 'modified_at',
    views: {
      titles: {
        label: 'Titles, folders and dates; no text',
        fields: ['title', 'path', 'folder', 'modified_at'],
      },
    },
    search: ['title', 'text', 'author', 'path'],
    ranges: ['modified_at', 'size_bytes'],
    sum: ['size_bytes'],
    max: ['modified_at', 'size_bytes'],
    group_by: ['folder', 'kind', 'author'],
  }),
])
