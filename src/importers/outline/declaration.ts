import type { Declaration } from '../../model/declaration/declaration.ts'
import {
  COUNT,
  declareSource,
  EVENT_TIME,
  FLAG,
  MARKDOWN_TEXT,
  recordStream,
  TEXT,
  TEXTS,
  TIME,
  TITLE,
} from '../declare.ts'

/** The pages of a program for outlines. All of them have the same fields. */
function outlineSource(key: string, name: string): Declaration {
  return declareSource(key, name, [
    recordStream({
      name: `${key}_pages`,
      display: { label: `Your pages in ${name}`, detail: 'Title, the whole outline, tags and links.' },
      properties: {
        title: TITLE,
        text: MARKDOWN_TEXT,
        is_daily: FLAG,
        noted_at: EVENT_TIME,
        updated_at: TIME,
        tags: { ...TEXTS, x_pdpp_role: 'label' },
        links: TEXTS,
        urls: TEXTS,
        block_count: COUNT,
        properties: { type: 'object' },
        source_id: TEXT,
      },
      time: 'noted_at',
      views: [
        {
          id: 'titles',
          label: 'Titles, tags and dates; no text',
          fields: ['id', 'title', 'tags', 'is_daily', 'noted_at'],
        },
      ],
      search: ['title', 'text', 'tags'],
      ranges: ['noted_at', 'updated_at', 'block_count'],
      aggregations: {
        sum: ['block_count'],
        group_by: ['is_daily'],
        group_by_time: ['noted_at', 'updated_at'],
      },
    }),
  ])
}

export const ROAM = outlineSource('roam', 'Roam Research')
export const LOGSEQ = outlineSource('logseq', 'Logseq')
