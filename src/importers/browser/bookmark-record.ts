import type { RecordEvent } from '../importer.ts'
import { repeatCounter, repeatedId } from '../repeats.ts'
import { type Page, pageRecord } from './page-record.ts'

/** A bookmark is identified by its folder and address. */
export function bookmarkRecords(): (bookmark: Omit<Page, 'id'> & { folder: string }) => RecordEvent {
  const repeats = repeatCounter()
  return bookmark => {
    const { folder, url } = bookmark
    const repeat = repeats(`${folder}\n${url}`)
    const id = repeatedId(repeat, 'bookmark', folder, url ?? '')
    return pageRecord('bookmarks', { ...bookmark, id, folder: folder || null })
  }
}
