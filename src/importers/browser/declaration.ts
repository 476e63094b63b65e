import type { StreamDeclaration } from '../../model/declaration/declaration.ts'
import { declareSource, recordStream } from '../declare.ts'
import * as f from '../fields.ts'

function pagesStream(name: string, label: string, detail: string): StreamDeclaration {
  return recordStream({
    name,
    label,
    detail,
    properties: {
      title: f.TITLE,
      url: f.TEXT,
      site: f.PLACE,
      folder: f.PLACE,
      tags: f.LABELS,
      occurred_at: f.EVENT_TIME,
      transition: f.TEXT,
    },
    time: 'occurred_at',
    views: { sites: { label: 'Which sites and when; no pages', fields: ['site', 'occurred_at'] } },
    search: ['title', 'url', 'folder', 'tags'],
    ranges: ['occurred_at'],
    group_by: ['site', 'folder', 'transition'],
    count_distinct: ['site', 'url'],
  })
}

export const BROWSER = declareSource('browser', 'Browser', [
  pagesStream('bookmarks', 'Your bookmarks', 'Pages that you saved, with their folders, tags and times.'),
  pagesStream('browser_history', 'Pages that you visited', 'Title, address and time of each visit.'),
])
