import type { FileItem } from '../reading/file-items.ts'
import { listedObjects } from '../reading/json-objects.ts'
import { idIn, textIn } from '../reading/json-values.ts'
import type { SourceFile } from '../source/source.ts'
import { visitRecords } from './visits.ts'

/** The visits of Chrome, as Google Takeout writes them. */
export async function* historyItems(file: SourceFile): AsyncGenerator<FileItem> {
  const recordOf = visitRecords()
  for await (const { value, rejection, place, end } of listedObjects(file, 'visit', ['Browser History'])) {
    if (!value) {
      if (rejection) yield { events: () => [rejection], end }
      continue
    }
    const event = recordOf({
      time: idIn(value.time_usec),
      url: textIn(value.url),
      title: textIn(value.title),
      transition: textIn(value.page_transition)?.toLowerCase() ?? null,
      place,
    })
    yield { events: () => [event], end }
  }
}
