import type { Declaration } from '../../model/declaration/declaration.ts'
import { declareSource, recordStream } from '../declare.ts'
import * as f from '../fields.ts'

/** The pages of a program for outlines. All of them have the same fields. */
function outlineSource(key: string, name: string): Declaration {
  return declareSource(key, name, [
    recordStream({
      name: `${key}_pages`,
      label: `Your pages in ${name}`,
      detail: 'Title, the whole outline, tags and links.',
      properties: {
        title: f.TITLE,
        text: f.MARKDOWN_TEXT,
        is_daily: f.FLAG,
        noted_at: f.EVENT_TIME,
        updated_at: f.TIME,
        tags: f.LABELS,
        links: f.TEXTS,
        urls: f.TEXTS,
        block_count: f.COUNT,
        properties: { type: 'object' },
        source_id: f.TEXT,
      },
      time: 'noted_at',
      views: {
        titles: {
          label: 'Titles, tags and dates; no text',
          fields: ['title', 'tags', 'is_daily', 'noted_at'],
        },
      },
      search: ['title', 'text', 'tags'],
      ranges: ['noted_at', 'updated_at', 'block_count'],
      sum: ['block_count'],
      group_by: ['is_daily'],
      group_by_time: ['noted_at', 'updated_at'],
    }),
  ])
}

export const ROAM = outlineSource('roam', 'Roam Research')
export const LOGSEQ = outlineSource('logseq', 'Logseq')
