import type { FileItem } from '../reading/file-items.ts'
import { listedObjects } from '../reading/json-objects.ts'
import { epochIn, idIn, textIn } from '../reading/json-values.ts'
import { recordIdOf } from '../record-id.ts'
import { repeatCounter } from '../repeats.ts'
import type { SourceFile } from '../source/source.ts'
import { pageRecord } from './page-record.ts'

/** The visits of Chrome, as Google Takeout writes them. */
export async function* historyItems(file: SourceFile): AsyncGenerator<FileItem> {
  const repeats = repeatCounter()
  for await (const { value, rejection, place, end } of listedObjects(file, 'visit', ['Browser History'])) {
    if (!value) {
      if (rejection) yield { events: () => [rejection], end }
      continue
    }
    const url = textIn(value.url)
    const time = idIn(value.time_usec)
    const repeat = repeats(`${time}\n${url}`)
    const event = pageRecord('browser_history', {
      id: recordIdOf('visit', time ?? '', url ?? '', ...(repeat > 0 ? [String(repeat)] : [])),
      title: textIn(value.title),
      url,
      occurred_at: epochIn(time ?? undefined, 'microseconds'),
      transition: textIn(value.page_transition)?.toLowerCase() ?? null,
      place,
    })
    yield { events: () => [event], end }
  }
}
