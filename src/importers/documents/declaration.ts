import {
  ACTOR,
  COUNT,
  declareSource,
  EVENT_TIME,
  PAGES,
  recordStream,
  TEXT,
  TIME,
  TITLE,
} from '../declare.ts'

export const DOCUMENTS = declareSource('documents', 'Documents', [
  recordStream({
    name: 'documents',
    display: {
      label: 'Your documents',
      detail: 'PDF and office documents, e-books, texts and web pages, with their names and times.',
    },
    required: ['path'],
    properties: {
      title: TITLE,
      text: { ...TEXT, contentMediaType: 'text/plain', x_pdpp_role: 'primary-text', x_pdpp_pages: 'pages' },
      pages: PAGES,
      author: ACTOR,
      path: { type: 'string' },
      folder: { type: 'string', x_pdpp_role: 'place' },
      kind: { type: 'string' },
      created_at: TIME,
      modified_at: EVENT_TIME,
      size_bytes: COUNT,
      file: {
        type: 'object',
        x_pdpp_role: 'attachment',
        properties: {
          blob_id: { type: 'string' },
          name: { type: 'string' },
          mime_type: { type: 'string' },
          size_bytes: COUNT,
        },
      },
    },
    time: 'modified_at',
    views: [
      {
        id: 'titles',
        label: 'Titles, folders and dates; no text',
        fields: ['id', 'title', 'path', 'folder', 'modified_at'],
      },
    ],
    search: ['title', 'text', 'author', 'path'],
    ranges: ['modified_at', 'size_bytes'],
    aggregations: {
      sum: ['size_bytes'],
      max: ['modified_at', 'size_bytes'],
      group_by: ['folder', 'kind', 'author'],
    },
  }),
])
