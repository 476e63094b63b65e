import {
  ACTOR,
  ATTACHMENTS,
  declareSource,
  EVENT_TIME,
  PLACE,
  PLAIN_TEXT,
  recordStream,
  TEXT,
  TEXTS,
  TIME,
  TITLE,
} from '../declare.ts'

export const EVERNOTE = declareSource('evernote', 'Evernote', [
  recordStream({
    name: 'evernote_notes',
    display: { label: 'Your notes in Evernote', detail: 'Title, text, tags, times, pictures and files.' },
    properties: {
      title: TITLE,
      text: PLAIN_TEXT,
      notebook: PLACE,
      author: ACTOR,
      tags: { ...TEXTS, x_pdpp_role: 'label' },
      noted_at: EVENT_TIME,
      updated_at: TIME,
      url: TEXT,
      attachments: ATTACHMENTS,
    },
    time: 'noted_at',
    views: [
      {
        id: 'titles',
        label: 'Titles, tags and dates; no text',
        fields: ['id', 'title', 'tags', 'notebook', 'noted_at'],
      },
    ],
    search: ['title', 'text', 'tags', 'attachments'],
    ranges: ['noted_at', 'updated_at'],
    aggregations: {
      group_by: ['notebook', 'author'],
      group_by_time: ['noted_at', 'updated_at'],
    },
  }),
])
