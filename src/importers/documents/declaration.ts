import { ANY_RANGE, COUNT, PAGES, TEXT, TIME } from '../field-types.ts'
import { declareSource } from '../own-source.ts'

export const DOCUMENTS = declareSource('documents', 'Documents', [
  {
    name: 'documents',
    semantics: 'mutable_state',
    display: {
      label: 'Your documents',
      detail: 'PDF and office documents, e-books, texts and web pages, with their names and times.',
    },
    schema: {
      type: 'object',
      required: ['id', 'path'],
      properties: {
        id: { type: 'string' },
        title: { ...TEXT, x_pdpp_role: 'primary-title' },
        text: { ...TEXT, contentMediaType: 'text/plain', x_pdpp_role: 'primary-text', x_pdpp_pages: 'pages' },
        pages: PAGES,
        author: { ...TEXT, x_pdpp_role: 'actor' },
        path: { type: 'string' },
        folder: { type: 'string', x_pdpp_role: 'place' },
        kind: { type: 'string' },
        created_at: TIME,
        modified_at: { ...TIME, x_pdpp_role: 'event-time' },
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
      search: { lexical_fields: ['title', 'text', 'author', 'path'] },
      range_filters: { modified_at: ANY_RANGE, size_bytes: ANY_RANGE },
      aggregations: {
        count: true,
        sum: ['size_bytes'],
        min: ['modified_at'],
        max: ['modified_at', 'size_bytes'],
        group_by: ['folder', 'kind', 'author'],
        group_by_time: ['modified_at'],
      },
    },
  },
])
