import {
  ATTACHMENTS,
  COUNT,
  declareSource,
  EVENT_TIME,
  FLAG,
  PLAIN_TEXT,
  recordStream,
  TEXTS,
  TIME,
  TITLE,
} from '../declare.ts'

export const KEEP = declareSource('google-keep', 'Google Keep', [
  recordStream({
    name: 'keep_notes',
    display: {
      label: 'Your notes in Google Keep',
      detail: 'Title, text, checklists, labels, pictures and recordings.',
    },
    properties: {
      title: TITLE,
      text: PLAIN_TEXT,
      labels: { ...TEXTS, x_pdpp_role: 'label' },
      noted_at: EVENT_TIME,
      updated_at: TIME,
      open_items: COUNT,
      is_pinned: FLAG,
      is_archived: FLAG,
      is_deleted: FLAG,
      links: TEXTS,
      people: { ...TEXTS, x_pdpp_role: 'participant' },
      attachments: ATTACHMENTS,
      source_id: { type: 'string' },
    },
    time: 'noted_at',
    views: [
      {
        id: 'titles',
        label: 'Titles, labels and dates; no text',
        fields: ['id', 'title', 'labels', 'noted_at'],
      },
    ],
    search: ['title', 'text', 'labels', 'attachments'],
    ranges: ['noted_at', 'updated_at'],
    aggregations: {
      sum: ['open_items'],
      group_by: ['is_archived', 'is_deleted', 'is_pinned'],
      group_by_time: ['noted_at', 'updated_at'],
    },
  }),
])
