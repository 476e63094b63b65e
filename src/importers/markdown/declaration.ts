import type { Declaration } from '../../model/declaration/declaration.ts'
import { declareSource, recordStream } from '../declare.ts'
import { ACTOR, COUNT, EVENT_TIME, files, MARKDOWN_TEXT, TEXT, TEXTS, TIME } from '../field-types.ts'

export const MARKDOWN: Declaration = declareSource('markdown', 'Notes', [
  recordStream({
    name: 'notes',
    display: { label: 'Your notes', detail: 'Title, text, tags, properties, links and attachments.' },
    required: ['title', 'path'],
    properties: {
      title: { type: 'string', x_pdpp_role: 'primary-title' },
      text: MARKDOWN_TEXT,
      author: ACTOR,
      tags: { ...TEXTS, x_pdpp_role: 'label' },
      aliases: TEXTS,
      folder: { type: 'string', x_pdpp_role: 'place' },
      path: { type: 'string' },
      noted_at: EVENT_TIME,
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
      attachments: files({
        blob_id: { type: 'string' },
        name: { type: 'string' },
        mime_type: { type: 'string' },
        size_bytes: COUNT,
      }),
      missing_attachments: TEXTS,
      word_count: COUNT,
      source_id: { type: 'string' },
    },
    conversation: { key: 'folder', order: ['noted_at'] },
    time: 'noted_at',
    views: [
      {
        id: 'titles',
        label: 'Titles, tags and dates; no text',
        fields: ['id', 'title', 'tags', 'folder', 'noted_at'],
      },
    ],
    search: ['title', 'text', 'tags', 'aliases', 'properties', 'attachments'],
    ranges: ['noted_at', 'updated_at', 'word_count'],
    aggregations: {
      sum: ['word_count'],
      min: ['noted_at', 'word_count'],
      max: ['noted_at', 'word_count'],
      group_by: ['folder', 'author', 'date_from'],
      group_by_time: ['noted_at', 'updated_at'],
      count_distinct: ['folder'],
    },
  }),
])
