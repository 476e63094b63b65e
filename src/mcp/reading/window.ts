import { fieldWindow } from '../../api/records.ts'
import { pathOf } from '../../api/route.ts'
import type { RecordReference } from '../../model/ids/handle.ts'
import { isObject } from '../../model/json.ts'
import { PAGE_UNITS, pagesText } from '../../model/reading/pages.ts'
import { cutText } from '../../model/reading/record.ts'
import { MAX_AROUND_CHARS, MAX_QUERY_CHARS, type SelectorInput } from '../../model/reading/window.ts'
import { countCodePoints } from '../../model/text/code-points.ts'
import { isLink, recordLink } from './hit.ts'
import { readPlainWindow } from './plain-window.ts'
import { capabilitiesOf, type ResourceServerClient } from './resource-server-client.ts'
import { type FieldWindow, fieldFacts, filled, unreadable, whole } from './window-shape.ts'

const MOST_PAGE_NAME_CHARS = 80
/** The longest window, with a match of the longest `q` in its middle. */
const MOST_WINDOW_CHARS = 2 * MAX_AROUND_CHARS + 2 * MAX_QUERY_CHARS

/** Reads one bounded window through the resource server; the selector has been checked (RF-2). */
export async function readWindow(
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
