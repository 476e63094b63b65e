import type { StreamDeclaration } from '../../model/declaration/declaration.ts'
import { declareSource, EVENT_TIME, PLACE, recordStream, TEXT, TEXTS, TITLE } from '../declare.ts'

function pagesStream(name: string, label: string, detail: string): StreamDeclaration {
  return recordStream({
    name,
    display: { label, detail },
    properties: {
      title: TITLE,
      url: TEXT,
      site: PLACE,
      folder: PLACE,
      tags: { ...TEXTS, x_pdpp_role: 'label' },
      occurred_at: EVENT_TIME,
      transition: TEXT,
    },
    time: 'occurred_at',
    views: [{ id: 'sites', label: 'Which sites and when; no pages', fields: ['id', 'site', 'occurred_at'] }],
    search: ['title', 'url', 'folder', 'tags'],
    ranges: ['occurred_at'],
    aggregations: {
      group_by: ['site', 'folder', 'transition'],
      count_distinct: ['site', 'url'],
    },
  })
}

export const BROWSER = declareSource('browser', 'Browser', [
  pagesStream('bookmarks', 'Your bookmarks', 'Pages that you saved, with their folders, tags and times.'),
  pagesStream('browser_history', 'Pages that you visited', 'Title, address and time of each visit.'),
])
