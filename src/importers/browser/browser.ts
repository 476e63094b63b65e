import type { StreamDeclaration } from '../../model/declaration/declaration.ts'
import { EVENT_TIME, PLACE, TEXT, TEXTS, TITLE } from '../field-types.ts'
import type { Importer } from '../importer.ts'
import { declareSource } from '../own-source.ts'
import { filesWith, findingOf } from '../reading/exported-files.ts'
import { readFileItems } from '../reading/file-items.ts'
import { recordStream } from '../record-stream.ts'
import { bookmarkItems } from './bookmarks.ts'
import { historyItems } from './history.ts'

function pagesStream(name: string, label: string, detail: string): StreamDeclaration {
  return recordStream({
    name,
    display: { label, detail },
    required: ['id'],
    properties: {
      id: { type: 'string' },
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
      min: ['occurred_at'],
      max: ['occurred_at'],
      group_by: ['site', 'folder', 'transition'],
      group_by_time: ['occurred_at'],
      count_distinct: ['site', 'url'],
    },
  })
}

export const BROWSER = declareSource('browser', 'Browser', [
  pagesStream('bookmarks', 'Your bookmarks', 'Pages that you saved, with their folders, tags and times.'),
  pagesStream('browser_history', 'Pages that you visited', 'Title, address and time of each visit.'),
])

export const browser: Importer = {
  format: 'browser',
  label: 'Bookmarks and browser history',
  stage: 'export',
  async recognise(source) {
    const bookmarks = await filesWith(source.files, /\.html?$/i, head =>
      /^\s*<!DOCTYPE NETSCAPE-Bookmark-file-1>/i.test(head),
    )
    const histories = await filesWith(
      source.files,
      /\.json$/i,
      head => /^\s*\{\s*"Browser History"\s*:\s*\[/.test(head) && /"time_usec"\s*:/.test(head),
    )
    const read = [...bookmarks, ...histories]
    if (read.length === 0) return null
    return findingOf(BROWSER, read, 250, from =>
      readFileItems(read, from, file =>
        bookmarks.includes(file) ? bookmarkItems(file) : historyItems(file),
      ),
    )
  },
}
