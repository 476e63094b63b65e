import { declareSource, recordStream } from '../declare.ts'
import * as f from '../fields.ts'

export const KEEP = declareSource('google-keep', 'Google Keep', [
  recordStream({
    name: 'keep_notes',
    label: 'Your notes in Google Keep',
    detail: 'Title, text, checklists, labels, pictures and recordings.',
    properties: {
      title: f.TITLE,
      text: f.PLAIN_TEXT,
      labels: f.LABELS,
      noted_at: f.EVENT_TIME,
      updated_at: f.TIME,
      open_items: f.COUNT,
      is_pinned: f.FLAG,
      is_archived: f.FLAG,
      is_deleted: f.FLAG,
      links: f.TEXTS,
      people: f.PEOPLE,
      attachments: f.ATTACHMENTS,
      source_id: f.STRING,
    },
    time: 'noted_at',
    views: {
      titles: { label: 'Titles, labels and dates; no text', fields: ['title', 'labels', 'noted_at'] },
    },
    search: ['title', 'text', 'labels', 'attachments'],
    ranges: ['noted_at', 'updated_at'],
    sum: ['open_items'],
    group_by: ['is_archived', 'is_deleted', 'is_pinned'],
    group_by_time: ['noted_at', 'updated_at'],
  }),
])
