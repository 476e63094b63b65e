import { fieldWithRole } from '../../model/declaration/declaration.ts'
import type { Projection } from '../../model/reading/record.ts'
import { sliceCodePoints } from '../../model/text/code-points.ts'
import type { Database } from '../engine/database.ts'
import { readRange } from '../records/long-text.ts'

/** The first characters of a record's text, for a hit that was not found by any word; null if it shows no text. */
export async function beginningOf(
  database: Database,
  owner_id: string,
  { source: { stream }, data, long_texts }: Projection,
  chars: number,
): Promise<{ field: string; text: string } | null> {
  const field = fieldWithRole(stream, 'primary-text')
  if (field === undefined) return null
  const long = long_texts.find(({ path }) => path.length === 1 && path[0] === field)
  if (long) {
    const end = Math.min(chars, long.size_chars)
    return { field, text: await readRange(database, owner_id, long.text_no, { start: 0, end }) }
  }
  const text = Object.hasOwn(data, field) ? data[field] : null
  return typeof text === 'string' && text !== '' ? { field, text: sliceCodePoints(text, 0, chars) } : null
}
