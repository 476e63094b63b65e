import { declareSource, recordStream } from '../declare.ts'
import * as f from '../fields.ts'

export const EVERNOTE = declareSource('evernote', 'Evernote', [
  recordStream({
    name: 'evernote_notes',
    label: 'Your notes in Evernote',
    detail: 'Title, text, tags, times, pictures and files.',
    properties: {
      title: f.TITLE,
      text: f.PLAIN_TEXT,
      notebook: f.PLACE,
      author: f.ACTOR,
      tags: f.LABELS,
      noted_at: f.EVENT_TIME,
      updated_at: f.TIME,
      url: f.TEXT,
      attachments: f.ATTACHMENTS,
    },
    time: 'noted_at',
    views: {
      titles: { label: 'Titles, tags and dates; no text', fields: ['title', 'tags', 'notebook', 'noted_at'] },
    },
    search: ['title', 'text', 'tags', 'attachments'],
    ranges: ['noted_at', 'updated_at'],
    group_by: ['notebook', 'author'],
    group_by_time: ['noted_at', 'updated_at'],
  }),
])
