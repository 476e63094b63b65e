import type { RecordEvent } from '../importer.ts'
import type { FileItem } from '../reading/exported-files.ts'
import { listedObjects, objectItems } from '../reading/json-objects.ts'
import { epochIn, idIn, textIn } from '../reading/json-values.ts'
import { repeatedIds } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { pageRecord } from './page-record.ts'

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
export function visitRecords(): (visit: Visit) => RecordEvent {
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
export function visitItems(file: SourceFile): AsyncGenerator<FileItem> {
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
