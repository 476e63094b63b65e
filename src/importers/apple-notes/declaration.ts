import { declareSource, recordStream } from '../declare.ts'
import * as f from '../fields.ts'

export const APPLE_NOTES = declareSource('apple-notes', 'Apple Notes', [
  recordStream({
    name: 'apple_notes',
    label: 'Your notes in Apple Notes',
    detail: 'Title, text, times, pictures and files.',
    properties: {
      title: f.TITLE,
      text: f.PLAIN_TEXT,
      folder: f.PLACE,
      noted_at: f.EVENT_TIME,
      updated_at: f.TIME,
      is_pinned: f.FLAG,
      is_deleted: f.FLAG,
      attachments: f.ATTACHMENTS,
      source_id: f.TEXT,
    },
    time: 'noted_at',
    views: { titles: { label: 'Titles and times; no text', fields: ['title', 'folder', 'noted_at'] } },
    search: ['title', 'text', 'folder', 'attachments'],
    ranges: ['noted_at', 'updated_at'],
    group_by: ['folder', 'is_deleted', 'is_pinned'],
    group_by_time: ['noted_at', 'updated_at'],
  }),
])
