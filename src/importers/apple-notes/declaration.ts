import {
  ATTACHMENTS,
  declareSource,
  EVENT_TIME,
  FLAG,
  PLACE,
  PLAIN_TEXT,
  recordStream,
  TEXT,
  TIME,
  TITLE,
} from '../declare.ts'

export const APPLE_NOTES = declareSource('apple-notes', 'Apple Notes', [
  recordStream({
    name: 'apple_notes',
    display: { label: 'Your notes in Apple Notes', detail: 'Title, text, times, pictures and files.' },
    properties: {
      title: TITLE,
      text: PLAIN_TEXT,
      folder: PLACE,
      noted_at: EVENT_TIME,
      updated_at: TIME,
      is_pinned: FLAG,
      is_deleted: FLAG,
      attachments: ATTACHMENTS,
      source_id: TEXT,
    },
    time: 'noted_at',
    views: [
      { id: 'titles', label: 'Titles and times; no text', fields: ['id', 'title', 'folder', 'noted_at'] },
    ],
    search: ['title', 'text', 'folder', 'attachments'],
    ranges: ['noted_at', 'updated_at'],
    aggregations: {
      group_by: ['folder', 'is_deleted', 'is_pinned'],
      group_by_time: ['noted_at', 'updated_at'],
    },
  }),
])
