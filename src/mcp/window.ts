import { countCodePoints } from '../model/code-points.ts'
import { CodedError } from '../model/errors.ts'
import { isObject, type JsonObject } from '../model/json.ts'
import type { RecordReference } from '../model/result-id.ts'
import { MAX_AROUND_CHARS, MAX_QUERY_CHARS, type SelectorInput } from '../model/window.ts'
import { readPlainWindow } from './plain-window.ts'
import { capabilitiesOf, type ResourceServerClient, recordPath } from './resource-server-client.ts'

/** The longest window, with a match of the longest `q` in its middle. */
const MOST_WINDOW_CHARS = 2 * MAX_AROUND_CHARS + 2 * MAX_QUERY_CHARS

/** A window of a text field, whichever server it came from. */
export interface FieldWindow {
  record: RecordReference
  field: { path: string; mime_type?: string; text_like: boolean; size_chars?: number; digest?: string }
  window: {
    start_chars: number
    end_chars: number
    limit_chars: number
    complete: boolean
    next_cursor: string | null
    previous_cursor: string | null
    match: { q: string; start_chars: number; end_chars: number } | null
    text: string
  }
}

/** Reads one bounded window through the resource server; the selector has been checked (RF-2). */
export async function readWindow(
  client: ResourceServerClient,
  record: RecordReference,
  field_path: string,
  selector: SelectorInput,
): Promise<FieldWindow> {
  const path = windowPath(record)
  const capabilities = await capabilitiesOf(client)
  if (!capabilities.has('field_window_cursors')) return readPlainWindow(client, record, field_path, selector)
  const body = await client.get(path, {
    connection_id: record.connection_id ?? undefined,
    field: field_path,
    ...selector,
  })
  const { field, window } = body
  if (!isObject(field) || !isObject(window) || typeof window.text !== 'string') throw unreadable()
  // Its cursors follow the whole of it, so a window that is too long cannot be cut.
  if (countCodePoints(window.text) > MOST_WINDOW_CHARS) throw unreadable()
  return {
    record: { ...record, connection_id: record.connection_id ?? filled(body.connection_id) },
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
    },
  }
}

export function windowPath({ stream, record_id }: RecordReference): string {
  return `${recordPath(stream, record_id)}/field-window`
}

export function fieldFacts({
  mime_type,
  size_chars,
  digest,
}: JsonObject): Omit<FieldWindow['field'], 'path'> {
  return {
    text_like: true,
    ...(typeof mime_type === 'string' ? { mime_type } : {}),
    ...(isPosition(size_chars) ? { size_chars } : {}),
    ...(typeof digest === 'string' ? { digest } : {}),
  }
}

function matchOf(match: unknown): FieldWindow['window']['match'] {
  if (!isObject(match) || typeof match.q !== 'string') return null
  return { q: match.q, start_chars: whole(match.start_chars), end_chars: whole(match.end_chars) }
}

export function isPosition(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

const MOST_NAME_CHARS = 1_024

export function filled(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= MOST_NAME_CHARS ? value : null
}

/** Without its cursor a window would seem to be the last one, so one that cannot be passed on is no window. */
function cursorOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  const cursor = filled(value)
  if (cursor === null) throw unreadable()
  return cursor
}

export function whole(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : 0
}

export function unreadable(): CodedError {
  return new CodedError(
    'provider_unavailable',
    'The resource server answered with something that is no window.',
  )
}
