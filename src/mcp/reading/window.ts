import { fieldWindow } from '../../api/records.ts'
import { pathOf } from '../../api/route.ts'
import { search } from '../../api/search.ts'
import type { RecordReference } from '../../model/ids/handle.ts'
import { isObject, objectsIn } from '../../model/json.ts'
import { cutText } from '../../model/reading/record.ts'
import {
  MAX_AROUND_CHARS,
  MAX_LIMIT_CHARS,
  MAX_QUERY_CHARS,
  PAGE_UNITS,
  pagesText,
  type SelectorInput,
} from '../../model/reading/window.ts'
import { countCodePoints } from '../../model/text/code-points.ts'
import { handleOf } from '../text/record-handle.ts'
import { isLink, recordLink } from './hit.ts'
import { readPlainWindow } from './plain-window.ts'
import { ProviderError } from './provider-error.ts'
import { capabilitiesOf, type ResourceServerClient } from './resource-server-client.ts'
import { type FieldWindow, fieldFacts, filled, unreadable, whole } from './window-shape.ts'

const MOST_PAGE_NAME_CHARS = 80
/** The longest window, with a match of the longest `q` in its middle. */
const MOST_WINDOW_CHARS = 2 * MAX_AROUND_CHARS + 2 * MAX_QUERY_CHARS

/**
 * Reads one bounded window; the selector has been checked (RF-2). A quotation that the text has with other white space,
 * such as a line break, is found as it is written there.
 */
export async function readWindow(
  client: ResourceServerClient,
  record: RecordReference,
  field_path: string,
  selector: SelectorInput,
): Promise<FieldWindow> {
  try {
    return await askWindow(client, record, field_path, selector)
  } catch (error) {
    const isMissing = error instanceof ProviderError && error.code === 'query_not_found'
    const q =
      isMissing && selector.q !== undefined ? await asWritten(client, record, field_path, selector.q) : null
    if (q === null) throw error
    return askWindow(client, record, field_path, { ...selector, q })
  }
}

/** So many words find the places where a quotation may begin; more would be searched as words, not as a phrase. */
const FIRST_WORDS = 5
const MOST_PLACES = 5
/** What separates the words of a quotation in mail. */
const BETWEEN_WORDS = '[\\s>]+'
const AROUND_CHARS = 20

/** A quotation as the text has it, if only the white space is different; else null. */
async function asWritten(
  client: ResourceServerClient,
  record: RecordReference,
  field_path: string,
  q: string,
): Promise<string | null> {
  const words = q.trim().split(/\s+/)
  if (words.length < 2 || !(await capabilitiesOf(client)).has('search_record')) return null
  const { id, ...connection } = handleOf(record)
  const phrase = words.slice(0, FIRST_WORDS).join(' ').replaceAll('"', ' ')
  const { data } = await client.get(
    search,
    {},
    { q: `"${phrase}"`, record: id, ...connection, limit: MOST_PLACES },
  )
  const places = objectsIn(data)
    .flatMap(hit => objectsIn(hit.match_windows))
    .filter(each => each.field_path === field_path)
  const pattern = new RegExp(words.map(literally).join(BETWEEN_WORDS), 'iu')
  for (const { start_chars } of places) {
    const offset_chars = Math.max(0, whole(start_chars) - AROUND_CHARS)
    const limit_chars = Math.min(MAX_LIMIT_CHARS, 2 * countCodePoints(q) + 2 * AROUND_CHARS)
    const { window } = await askWindow(client, record, field_path, { offset_chars, limit_chars })
    const [found] = pattern.exec(window.text) ?? []
    if (found !== undefined) return found
  }
  return null
}

/** A pattern for exactly this text. */
function literally(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, char => `\\u{${char.codePointAt(0)?.toString(16)}}`)
}

async function askWindow(
  client: ResourceServerClient,
  record: RecordReference,
  field_path: string,
  selector: SelectorInput,
): Promise<FieldWindow> {
  pathOf(fieldWindow, record)
  const capabilities = await capabilitiesOf(client)
  if (!capabilities.has('field_window_cursors')) return readPlainWindow(client, record, field_path, selector)
  const { connection_id } = record
  const body = await client.get(fieldWindow, record, { connection_id, field: field_path, ...selector })
  const { field, window } = body
  if (!isObject(field) || !isObject(window) || typeof window.text !== 'string') throw unreadable()
  // Its cursors continue after all of it, so a window that is too long cannot be cut.
  if (countCodePoints(window.text) > MOST_WINDOW_CHARS) throw unreadable()
  const named = { ...record, connection_id: record.connection_id ?? filled(body.connection_id) }
  return {
    record: named,
    url: typeof body.url === 'string' && isLink(body.url) ? body.url : recordLink(client.provider.url, named),
    field: { path: field_path, ...fieldFacts(field) },
    window: {
      start_chars: whole(window.start_chars),
      end_chars: whole(window.end_chars),
      limit_chars: whole(window.limit_chars),
      complete: window.complete === true,
      next_cursor: cursorOf(window.next_cursor),
      previous_cursor: cursorOf(window.previous_cursor),
      match: matchOf(window.match),
      text: window.text,
      ...pagesIn(window.pages),
    },
  }
}

function matchOf(match: unknown): FieldWindow['window']['match'] {
  if (!isObject(match) || typeof match.q !== 'string') return null
  return { q: match.q, start_chars: whole(match.start_chars), end_chars: whole(match.end_chars) }
}

function pagesIn(pages: unknown): { pages?: string } {
  if (!isObject(pages)) return {}
  const unit = PAGE_UNITS.find(known => known === pages.unit)
  if (unit === undefined) return {}
  const [first, last, of] = [whole(pages.first), whole(pages.last), whole(pages.of)]
  const name = filled(pages.name)
  const facts = { unit, first, last, of, name: name && cutText(name, MOST_PAGE_NAME_CHARS) }
  return { pages: pagesText(pages.recognised === true ? { ...facts, recognised: true } : facts) }
}

/** Without its cursor a window would seem to be the last one, so a window with an invalid cursor is refused. */
function cursorOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  const cursor = filled(value)
  if (cursor === null) throw unreadable()
  return cursor
}
