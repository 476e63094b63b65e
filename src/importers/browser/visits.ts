import type { RecordEvent } from '../importer.ts'
import { epochIn } from '../reading/json-values.ts'
import { repeatCounter, repeatedId } from '../repeats.ts'
import { pageRecord } from './page-record.ts'

export interface Visit {
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
  const repeats = repeatCounter()
  return ({ time, url, title, transition, place }) => {
    const repeat = repeats(`${time}\n${url}`)
    return pageRecord('browser_history', {
      id: repeatedId(repeat, 'visit', time ?? '', url ?? ''),
      title,
      url,
      occurred_at: epochIn(time ?? undefined, 'microseconds'),
      transition,
      place,
    })
  }
}
