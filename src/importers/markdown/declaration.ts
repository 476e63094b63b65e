import type { Declaration } from '../../model/declaration/declaration.ts'
import { declareSource, recordStream } from '../declare.ts'
import * as f from '../fields.ts'

export const MARKDOWN: Declaration = declareSource('markdown', 'Notes', [
  recordStream({
    name: 'notes',
    label: 'Your notes',
    detail: 'Title, text, tags, properties, links and attachments.',
    required: ['title', 'path'],
    properties: {
      title: { type: 'string', x_pdpp_role: 'primary-title' },
      text: f.MARKDOWN_TEXT,
      author: f.ACTOR,
      tags: f.LABELS,
      aliases: f.TEXTS,
      folder: { type: 'string', x_pdpp_role: 'place' },
      path: f.STRING,
      noted_at: f.EVENT_TIME,
      noted_at_local: f.TEXT,
      date_from: { enum: ['properties', 'file name', 'file', null], type: ['string', 'null'] },
      updated_at: f.TIME,
      properties: { type: 'object' },
      properties_problem: f.TEXT,
      links: f.TEXTS,
      linked_ids: f.TEXTS,
      urls: f.TEXTS,
      attachments: f.files({ blob_id: f.STRING, name: f.STRING, mime_type: f.STRING, size_bytes: f.COUNT }),
      missing_attachments: f.TEXTS,
      word_count: f.COUNT,
      source_id: f.STRING,
    },
    conversation: { key: 'folder', order: ['noted_at'] },
    time: 'noted_at',
    views: {
      titles: { label: 'Titles, tags and dates; no text', fields: ['title', 'tags', 'folder', 'noted_at'] },
    },
    search: ['title', 'text', 'tags', 'aliases', 'properties', 'attachments'],
    ranges: ['noted_at', 'updated_at', 'word_count'],
    sum: ['word_count'],
    min: ['noted_at', 'word_count'],
    max: ['noted_at', 'word_count'],
    group_by: ['folder', 'author', 'date_from'],
    group_by_time: ['noted_at', 'updated_at'],
    count_distinct: ['folder'],
  }),
])
