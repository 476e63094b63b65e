import type { Recognise } from '../importer.ts'
import { filesBeside, tableIn } from '../reading/database-files.ts'
import { findingOf } from '../reading/exported-files.ts'
import type { SourceFile } from '../source/source.ts'
import { bookmarkItems } from './bookmarks.ts'
import { databaseItems, STORED_VISIT_BYTES } from './database-items.ts'
import { BROWSER } from './declaration.ts'
import { HISTORY_DATABASES, type HistoryDatabase } from './history-databases.ts'
import { visitItems } from './visits.ts'

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
