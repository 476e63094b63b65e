import type { Recognise, RecordEvent } from '../importer.ts'
import { DatabaseCopy, filesBeside, tableIn, unreadableDatabase } from '../reading/database-copy.ts'
import { type FileItem, findingOf } from '../reading/exported-files.ts'
import { listedObjects, objectItems } from '../reading/json-objects.ts'
import { epochIn, idIn, textIn } from '../reading/json-values.ts'
import { repeatedIds } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { bookmarkItems, firefoxBookmarks } from './bookmarks.ts'
import { BROWSER } from './declaration.ts'
import { HISTORY_DATABASES, type HistoryDatabase } from './history-databases.ts'
import { pageRecord } from './page-record.ts'

const WRITTEN_VISIT_BYTES = 250

export const recognise: Recognise = async (files, source) => {
  const endsWith = (ending: RegExp) => files.filter(({ path }) => ending.test(path))
  const bookmarks = endsWith(/\.html?$/i)
  const histories = endsWith(/\.json$/i)
  const databases = new Map<SourceFile, HistoryDatabase>()
  for (const file of files) {
    const table = await tableIn(file, Object.keys(HISTORY_DATABASES))
    const kind = table === null ? undefined : HISTORY_DATABASES[table]
    if (kind) databases.set(file, kind)
  }
  const stored = [...databases.keys()]
  const read = [...bookmarks, ...histories, ...stored]
  if (read.length === 0) return null
  const byPath = new Map(source.files.map(file => [file.path, file]))
  const itemsOf = (file: SourceFile) => {
    const kind = databases.get(file)
    if (kind) return databaseItems(file, byPath.get(`${file.path}-wal`), kind)
    return bookmarks.includes(file) ? bookmarkItems(file) : visitItems(file)
  }
  const visitBytes = stored.length > 0 ? STORED_VISIT_BYTES : WRITTEN_VISIT_BYTES
  return findingOf(BROWSER, read, visitBytes, () => itemsOf, { beside: filesBeside(stored, source.files) })
}

/** The approximate size of a visit in a database, including its address and the indexes. */
const STORED_VISIT_BYTES = 1_000

/**
 * The bookmarks and visits in the database of a browser. `log` is the write-ahead log, with changes that are not in
 * the database yet.
 */
async function* databaseItems(
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
        time: textIn(row.time),
        url: textIn(row.url),
        title: textIn(row.title),
        transition: transitions[Number(row.transition ?? -1)] ?? null,
        place: `${file.path}, visit ${row.number}`,
      })
      yield { events: () => [event], end: end() }
    }
  } catch (error) {
    throw unreadableDatabase(file, error)
  }
}

interface Visit {
  /** Microseconds since 1970, in digits. */
  time: string | null
  url: string | null
  title: string | null
  transition: string | null
  place: string
}

/**
 * A visit is identified by its time and address, so that it has the same id in an export and in the browser's
 * database.
 */
function visitRecords(): (visit: Visit) => RecordEvent {
  const idOf = repeatedIds('visit')
  return ({ time, url, title, transition, place }) =>
    pageRecord('browser_history', {
      id: idOf(time ?? '', url ?? '').id,
      title,
      url,
      occurred_at: epochIn(time ?? undefined, 'microseconds'),
      transition,
      place,
    })
}

/** The visits of Chrome, as Google Takeout writes them. */
function visitItems(file: SourceFile): AsyncGenerator<FileItem> {
  const recordOf = visitRecords()
  return objectItems(listedObjects(file, 'visit', ['Browser History']), (value, { place }) => [
    recordOf({
      time: idIn(value.time_usec),
      url: textIn(value.url),
      title: textIn(value.title),
      transition: textIn(value.page_transition)?.toLowerCase() ?? null,
      place,
    }),
  ])
}
