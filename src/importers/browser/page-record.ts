import type { RecordEvent } from '../importer.ts'
import { repeatedIds } from '../record-id.ts'

interface Page {
  id: string
  title: string | null
  url: string | null
  occurred_at: string | null
  folder?: string | null
  tags?: string[]
  transition?: string | null
  place: string
}

export function pageRecord(stream: string, { place, ...page }: Page): RecordEvent {
  const { folder = null, tags = [], transition = null } = page
  const data = { ...page, site: siteOf(page.url), folder, tags, transition }
  return { kind: 'record', stream, key: page.id, data, place }
}

/** A bookmark is identified by its folder and address. */
export function bookmarkRecords(): (bookmark: Omit<Page, 'id'> & { folder: string }) => RecordEvent {
  const idOf = repeatedIds('bookmark')
  return bookmark => {
    const { folder, url } = bookmark
    return pageRecord('bookmarks', { ...bookmark, id: idOf(folder, url ?? '').id, folder: folder || null })
  }
}

function siteOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') || null : null
}
