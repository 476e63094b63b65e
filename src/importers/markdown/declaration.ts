import type { Declaration } from '../../model/declaration/declaration.ts'
import { ANY_RANGE, COUNT, TEXT, TEXTS, TIME } from '../field-types.ts'
import { declareSource } from '../own-source.ts'

export const MARKDOWN: Declaration = declareSource('markdown', 'Notes', [
  {
    name: 'notes',
    semantics: 'mutable_state',
    display: { label: 'Your notes', detail: 'Title, text, tags, properties, links and attachments.' },
    schema: {
      type: 'object',
      required: ['id', 'title', 'path'],
      properties: {
        id: { type: 'string' },
        title: { type: 'string', x_pdpp_role: 'primary-title' },
        text: { ...TEXT, contentMediaType: 'text/markdown', x_pdpp_role: 'primary-text' },
        author: { ...TEXT, x_pdpp_role: 'actor' },
        tags: { ...TEXTS, x_pdpp_role: 'label' },
        aliases: TEXTS,
        folder: { type: 'string', x_pdpp_role: 'place' },
        path: { type: 'string' },
        noted_at: { ...TIME, x_pdpp_role: 'event-time' },
        noted_at_local: TEXT,
        date_from: {
          enum: ['properties', 'file name', 'file', null],
          type: ['string', 'null'],
        },
        updated_at: TIME,
        properties: { type: 'object' },
        properties_problem: TEXT,
        links: TEXTS,
        linked_ids: TEXTS,
        urls: TEXTS,
        attachments: {
          type: 'array',
          x_pdpp_role: 'attachment',
          items: {
            type: 'object',
            properties: {
              blob_id: { type: 'string' },
              name: { type: 'string' },
              mime_type: { type: 'string' },
              size_bytes: COUNT,
            },
          },
        },
        missing_attachments: TEXTS,
        word_count: COUNT,
        source_id: { type: 'string' },
      },
      x_pdpp_conversation: { key: 'folder', order: ['noted_at'] },
    },
    primary_key: ['id'],
    cursor_field: 'noted_at',
    consent_time_field: 'noted_at',
    selection: { fields: true, resources: true },
    views: [
      {
        id: 'titles',
        label: 'Titles, tags and dates; no text',
        fields: ['id', 'title', 'tags', 'folder', 'noted_at'],
      },
    ],
    query: {
      search: { lexical_fields: ['title', 'text', 'tags', 'aliases', 'properties', 'attachments'] },
      range_filters: {
        noted_at: ANY_RANGE,
        updated_at: ANY_RANGE,
        word_count: ANY_RANGE,
      },
      aggregations: {
        count: true,
        sum: ['word_count'],
        min: ['noted_at', 'word_count'],
        max: ['noted_at', 'word_count'],
        group_by: ['folder', 'author', 'date_from'],
        group_by_time: ['noted_at', 'updated_at'],
        count_distinct: ['folder'],
      },
    },
  },
])
