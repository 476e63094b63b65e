import { fieldWithRole, timeField } from '../../model/declaration/declaration.ts'
import { authorOf, type Projection, titleOf } from '../../model/reading/record.ts'
import type { HitHead } from '../../model/search/search-hit.ts'
import { HIT_TITLE_BYTES, HIT_TITLE_CHARS } from '../../model/search/tuning.ts'
import type { Database } from '../engine/database.ts'
import { readRange } from '../records/long-text.ts'

export async function headOf(
  database: Database,
  owner_id: string,
  { source: { stream }, record_id, emitted_at, data, long_texts }: Projection,
): Promise<HitHead> {
  const titled = fieldWithRole(stream, 'primary-title')
  const timed = fieldWithRole(stream, 'event-time') ?? timeField(stream)
  const long = long_texts.find(({ path }) => path.length === 1 && path[0] === titled)
  const end = Math.min(HIT_TITLE_CHARS, long?.size_chars ?? 0)
  const title = long
    ? `${await readRange(database, owner_id, long.text_no, { start: 0, end })}…`
    : titleOf(stream, data, HIT_TITLE_CHARS)
  const occurred = timed === undefined ? undefined : data[timed]
  const author = authorOf(stream, data)
  const shown = [title === null ? undefined : titled, timed, author?.field]
  return {
    record_id,
    emitted_at,
    title: title === null ? null : cutTitle(title),
    author: author?.name ?? null,
    occurred_at: typeof occurred === 'string' ? occurred : null,
    fields: [
      ...new Set(shown.filter(field => field !== undefined && Object.hasOwn(data, field))),
    ] as string[],
    ranges: long && titled !== undefined ? { [titled]: [[0, end]] } : {},
  }
}

/** As many whole characters as fit into the bytes of a hit's title. */
function cutTitle(title: string): string {
  const bytes = Buffer.from(title)
  if (bytes.length <= HIT_TITLE_BYTES) return title
  const whole = new TextDecoder().decode(bytes.subarray(0, HIT_TITLE_BYTES - 3), { stream: true })
  return `${whole}…`
}
