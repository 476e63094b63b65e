import type { FileItem } from '../reading/file-items.ts'
import { listedItems } from '../reading/json-objects.ts'
import { idIn, textIn } from '../reading/json-values.ts'
import type { SourceFile } from '../source/source.ts'
import { visitRecords } from './visits.ts'

/** The visits of Chrome, as Google Takeout writes them. */
export function historyItems(file: SourceFile): AsyncGenerator<FileItem> {
  const recordOf = visitRecords()
  return listedItems(file, 'visit', ['Browser History'], (value, { place }) => [
    recordOf({
      time: idIn(value.time_usec),
      url: textIn(value.url),
      title: textIn(value.title),
      transition: textIn(value.page_transition)?.toLowerCase() ?? null,
      place,
    }),
  ])
}
