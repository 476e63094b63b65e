import { fieldWithRole } from '../../../model/declaration/declaration.ts'
import { authorOf, project } from '../../../model/reading/record.ts'
import { fold } from '../../../model/text/fold.ts'
import { type RowPlace, recordPlace } from '../search-rows.ts'
import type { SearchScope } from '../search-scope.ts'

/** Who wrote a message and what its text shows about that, as far as both may be seen. */
export interface Speaker {
  /** Folded; null if it may not be seen. */
  name: string | null
  /** The beginning of the text, folded, without an @ before it. */
  beginning: string
  isMarked: boolean
  isQuestion: boolean
}

const IS_QUESTION = /[?？؟](?=["'”’)\]\s]|$)/u
const ADDRESS_CHARS = 80

export async function speakersOf(
  scope: SearchScope,
  rows: readonly RowPlace[],
): Promise<Map<string, Speaker>> {
  const records = await scope.records.of(scope.database, scope.owner_id, rows)
  const speakers = new Map<string, Speaker>()
  for (const row of rows) {
    const place = recordPlace(row)
    const [entry, record, visible] = [scope.sourceOf(row), records.get(place), scope.visibleFields(row)]
    if (!entry || !record || visible === undefined || speakers.has(place)) continue
    const { stream } = entry.source
    const { data } = project(entry.source, record, visible)
    const field = fieldWithRole(stream, 'primary-text')
    const value = field === undefined ? undefined : data[field]
    const text = typeof value === 'string' ? value : ''
    const beginning = fold(text.slice(0, ADDRESS_CHARS)).trimStart()
    const isMarked = beginning.startsWith('@')
    const name = authorOf(stream, data)?.name
    speakers.set(place, {
      name: name === undefined ? null : fold(name),
      beginning: isMarked ? beginning.slice(1) : beginning,
      isMarked,
      isQuestion: IS_QUESTION.test(text.slice(-400)),
    })
  }
  return speakers
}

/** What follows a first name that a message begins with. */
const AFTER_FIRST_NAME = /[:,：，、]/u
const IN_NAME = /[\p{L}\p{N}]/u

/** Whether a message begins with the name of someone: "Ann: try this", "@Ann Lee it works", "ann_lee thanks". */
export function isAddressedTo({ beginning, isMarked }: Speaker, name: string): boolean {
  const after = (part: string) =>
    part.length > 1 && beginning.startsWith(part) ? beginning.charAt(part.length) : null
  const [afterAll, afterFirst] = [after(name), after(name.split(' ')[0] ?? '')]
  if (afterAll !== null && !IN_NAME.test(afterAll)) return true
  return afterFirst !== null && (isMarked ? !IN_NAME.test(afterFirst) : AFTER_FIRST_NAME.test(afterFirst))
}
