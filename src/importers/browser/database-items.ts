import { DatabaseCopy, textOf, unreadableDatabase } from '../reading/database-copy.ts'
import type { FileItem } from '../reading/file-items.ts'
import type { SourceFile } from '../source/source.ts'
import { firefoxBookmarks } from './firefox-bookmarks.ts'
import type { HistoryDatabase } from './history-databases.ts'
import { visitRecords } from './visits.ts'

/** The approximate size of a visit in a database, including its address and the indexes. */
export const STORED_VISIT_BYTES = 1_000

/**
 * The bookmarks and visits in the database of a browser. `log` is the write-ahead log, with changes that are not in
 * the database yet.
 */
export async function* databaseItems(
  file: SourceFile,
  log: SourceFile | undefined,
  { tables, visits, transitions, hasBookmarks }: HistoryDatabase,
): AsyncGenerator<FileItem> {
  await using database = await DatabaseCopy.of(file, log, tables)
  let items = 0
  const end = () => Math.min(file.size, ++items * STORED_VISIT_BYTES)
  try {
    if (hasBookmarks)
      for (const event of firefoxBookmarks(database, file.path)) yield { events: () => [event], end: end() }
    const recordOf = visitRecords()
    for (const row of database.rows(visits)) {
      const event = recordOf({
        time: textOf(row.time),
        url: textOf(row.url),
        title: textOf(row.title),
        transition: transitions[Number(row.transition ?? -1)] ?? null,
        place: `${file.path}, visit ${row.number}`,
      })
      yield { events: () => [event], end: end() }
    }
  } catch (error) {
    throw unreadableDatabase(file, error)
  }
}
