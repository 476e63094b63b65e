import { declareSource, recordStream } from '../declare.ts'
import * as f from '../fields.ts'

export const GOOGLE_ACTIVITY = declareSource('google-activity', 'Google activity', [
  recordStream({
    name: 'google_activity',
    label: 'What you did with Google',
    detail: 'Conversations with Gemini, searches, visited pages, videos and more, with their times.',
    required: ['product'],
    properties: {
      title: f.TITLE,
      text: f.PLAIN_TEXT,
      product: { type: 'string', x_pdpp_role: 'place' },
      occurred_at: f.EVENT_TIME,
      url: f.TEXT,
      details: f.TEXTS,
      links: f.TEXTS,
    },
    time: 'occurred_at',
    views: {
      usage: { label: 'Which product you used when; nothing else', fields: ['product', 'occurred_at'] },
    },
    search: ['title', 'text', 'details'],
    ranges: ['occurred_at'],
    group_by: ['product'],
    count_distinct: ['product'],
  }),
])
