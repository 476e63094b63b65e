import type { RecordBody } from '../api/records.ts'
import { isRawNumber, type Json } from '../model/json.ts'
import { cutText } from '../model/reading/record.ts'

const MOST_VALUES = 4
const VALUE_CHARS = 60

/** The title of a record; the first values of one without a title, such as a row of a table; its id if it has none. */
export function recordTitle({ id, title, data }: Pick<RecordBody, 'id' | 'title' | 'data'>): string {
  if (title) return title
  const named = Object.entries(data).filter(([field]) => !ID.test(field))
  const values = new Set(named.flatMap(([, value]) => valueText(value)))
  const told = [...values].filter(value => value !== '' && value !== id).slice(0, MOST_VALUES)
  return told.join(' · ') || id
}

/** Fields that tell people nothing. */
const ID = /(?:^|_)id$/
const INSTANT = /^\d{4}-\d\d-\d\dT/

/** A text or a number; times, which lists tell beside the title, and other values are left out. */
function valueText(value: Json): string[] {
  if (isRawNumber(value)) return [value.rawJSON]
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'string' || INSTANT.test(value)) return []
  return [cutText(value.replace(/\s+/g, ' ').trim(), VALUE_CHARS)]
}
