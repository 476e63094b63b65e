import { fieldWithRole, timeField } from '../../model/declaration/declaration.ts'
import type { CompiledCondition } from '../../model/reading/filter.ts'
import { firstValues } from '../../model/reading/first-values.ts'
import { foundFiles } from '../../model/reading/found-files.ts'
import {
  authorOf,
  FIRST_WORDS_FROM,
  firstWords,
  headField,
  isTitle,
  type Projection,
  titleOf,
} from '../../model/reading/record.ts'
import type { HitHead } from '../../model/search/search-hit.ts'
import { HIT_FILE_BYTES, HIT_TITLE_BYTES, HIT_TITLE_CHARS } from '../../model/search/tuning.ts'
import { countCodePoints } from '../../model/text/code-points.ts'
import type { Database } from '../engine/database.ts'
import { readRange } from '../records/long-text.ts'

export async function headOf(
  database: Database,
  owner_id: string,
  { source: { stream }, record_id, emitted_at, data, long_texts }: Projection,
  /** The conditions that the record passed. */
  conditions: readonly CompiledCondition[] = [],
): Promise<HitHead> {
  const titled = headField(stream, data, long_texts)
  const timed = fieldWithRole(stream, 'event-time') ?? timeField(stream)
  const long = long_texts.find(({ path }) => path.length === 1 && path[0] === titled)
  const value = titled === undefined ? undefined : data[titled]
  const size = long?.size_chars ?? (typeof value === 'string' ? countCodePoints(value) : 0)
  const isWords = titled !== undefined && !isTitle(stream, titled)
  const end = Math.min(isWords ? FIRST_WORDS_FROM : HIT_TITLE_CHARS, size)
  const start = long ? `${await readRange(database, owner_id, long.text_no, { start: 0, end })}…` : null
  const title = start === null ? titleOf(stream, data, HIT_TITLE_CHARS) : isWords ? firstWords(start) : start
  const occurred = timed === undefined ? undefined : data[timed]
  const author = authorOf(stream, data)
  const shown = [title === null ? undefined : titled, timed, author?.field]
  return {
    record_id,
    emitted_at,
    title: title === null ? null : cutBytes(title, HIT_TITLE_BYTES),
    author: author?.name ?? null,
    occurred_at: typeof occurred === 'string' ? occurred : null,
    fields: [
      ...new Set(shown.filter(field => field !== undefined && Object.hasOwn(data, field))),
    ] as string[],
    ranges: title !== null && titled !== undefined && end < size ? { [titled]: [[0, end]] } : {},
    values: firstValues(stream, data, long_texts, title),
    files: foundFiles(conditions, data).map(({ field, text }) => ({
      field,
      text: cutBytes(text, HIT_FILE_BYTES),
    })),
  }
}

/** As many whole characters as fit into the bytes. */
function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  const whole = new TextDecoder().decode(bytes.subarray(0, most - 3), { stream: true })
  return `${whole}…`
}
