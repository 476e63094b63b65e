import type { JsonObject } from '../../model/json.ts'
import type { Nothing } from '../nothing-found/nothing-found.ts'
import { bytesOf, visible, word } from '../text/quote.ts'

const MOST_BYTES = 1_500

/** What was searched, why nothing was found as far as is known, and who can grant more. */
export function nothingLines({ searched, searched_more, time_zone, reasons, apps }: Nothing): string[] {
  const names = searched.length === 0 ? 'no source' : searched.map(name => word(name, 40)).join(', ')
  const sources = searched_more === 0 ? names : `${names} and ${searched_more} more`
  const lines = [`Searched: ${sources}. Time zone: ${word(time_zone, 60)}.`, ...reasons]
  const last = `The owner can let you read more at ${apps}`
  while (lines.length > 1 && bytesOf([...lines, last].join('\n')) > MOST_BYTES) lines.pop()
  return [...lines, last].map(visible)
}

/** The same for programs. */
export function nothingContent({ searched, searched_more, time_zone, reasons, apps }: Nothing): JsonObject {
  const more = searched_more === 0 ? {} : { searched_more }
  return { nothing_found: { searched, ...more, time_zone, reasons, more_at: apps } }
}
