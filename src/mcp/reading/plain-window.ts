import { fieldWindow } from '../../api/records.ts'
import { CodedError } from '../../model/errors.ts'
import type { RecordReference } from '../../model/ids/handle.ts'
import { isObject, type JsonObject, objectsIn } from '../../model/json.ts'
import { stale, type WindowPosition } from '../../model/reading/cursor.ts'
import { digestOf } from '../../model/reading/record.ts'
import {
  DEFAULT_LIMIT_CHARS,
  MAX_QUERY_CHARS,
  parseSelector,
  rangeUpTo,
  type Selector,
  type SelectorInput,
} from '../../model/reading/window.ts'
import { countCodePoints } from '../../model/text/code-points.ts'
import { head } from '../text/quote.ts'
import { declaredStreams } from './declared-streams.ts'
import { recordLink } from './hit.ts'
import type { ResourceServerClient } from './resource-server-client.ts'
import { type FieldWindow, fieldFacts, filled, isPosition, unreadable, whole } from './window-shape.ts'

/** More than a match of the longest `q` can have, counting folded characters. */
const MOST_MATCH_CHARS = 2 * MAX_QUERY_CHARS
/** The largest position that a cursor can contain. */
const MOST_POSITION = 2 ** 40 - 1

/** A window from a server without cursors and digests: the adapter issues its own cursors (RF-8). */
export async function readPlainWindow(
  client: ResourceServerClient,
  record: RecordReference,
  field_path: string,
  input: SelectorInput,
): Promise<FieldWindow> {
  const selector = parseSelector(input)
  const now = new Date()
  const at =
    selector.by === 'cursor' ? await openCursor(client, record, field_path, selector.cursor, now) : null
  const limit = limitOf(selector, at)
  const asked = at ? positionOf(at, limit) : input
  const { connection_id } = record
  const body = await client.get(fieldWindow, record, { connection_id, field: field_path, ...asked })
  const part = isObject(body.window) ? { ...body, ...body.window } : body
  if (typeof part.text !== 'string') throw unreadable()
  const text = head(
    part.text,
    selector.by === 'match' ? limit + MOST_MATCH_CHARS : (asked.limit_chars ?? limit),
  )
  const match = matchOf(selector, part)
  const start = startOf(part, match, selector, asked)
  const end = start + countCodePoints(text)
  if (start < 0 || end > MOST_POSITION) throw unreadable()
  const facts = fieldFacts(isObject(body.field) ? body.field : body)
  const total = isPosition(part.total_chars) ? part.total_chars : (facts.size_chars ?? null)
  // For such a server, only the length shows whether the text has changed.
  const digest = digestOf(`${total}`)
  if (at && !digest.startsWith(at.digest)) throw stale({ ...record, field_path })
  const cut = text.length < part.text.length
  const more = cut || (total === null ? typeof part.next_offset_chars === 'number' : end < total)
  const named = { ...record, connection_id: await connectionOf(client, record, part) }
  const binding = bindingOf(client, named, field_path)
  const cursor = (direction: WindowPosition['direction'], position: number) =>
    client.provider.cursors.sealWindow({ direction, position, limit, digest }, binding, now)
  return {
    record: named,
    url: recordLink(client.provider.url, named),
    field: { path: field_path, ...facts, ...(total === null ? {} : { size_chars: total }) },
    window: {
      start_chars: start,
      end_chars: end,
      limit_chars: limit,
      complete: start === 0 && !more,
      next_cursor: more ? cursor('forward', end) : null,
      previous_cursor: start > 0 ? cursor('backward', start) : null,
      match,
      text,
    },
  }
}

/** Cursors are bound to the record as responses name it; a caller may name it without its connection. */
async function openCursor(
  client: ResourceServerClient,
  record: RecordReference,
  field_path: string,
  cursor: string,
  now: Date,
): Promise<WindowPosition> {
  const open = (named: RecordReference) =>
    client.provider.cursors.openWindow(cursor, bindingOf(client, named, field_path), null, now, {
      ...record,
      field_path,
    })
  try {
    return open(record)
  } catch (error) {
    const foreign = error instanceof CodedError && error.details.reason === 'foreign'
    if (!foreign || record.connection_id !== null) throw error
    return open({ ...record, connection_id: await connectionOf(client, record, {}) })
  }
}

function bindingOf(client: ResourceServerClient, record: RecordReference, field_path: string): string {
  const { connection_id, stream, record_id } = record
  return JSON.stringify([client.binding, connection_id, stream, record_id, field_path])
}

function limitOf(selector: Selector, at: WindowPosition | null): number {
  if (selector.by === 'offset') return selector.limit
  if (selector.by === 'cursor') return selector.limit ?? at?.limit ?? 0
  return selector.before + selector.after || DEFAULT_LIMIT_CHARS
}

function positionOf({ direction, position }: WindowPosition, limit: number): SelectorInput {
  if (direction === 'forward') return { offset_chars: position, limit_chars: limit }
  const { start, end } = rangeUpTo(position, limit, position)
  return { offset_chars: start, limit_chars: end - start }
}

function matchOf(selector: Selector, { match_start_chars, match_end_chars }: JsonObject) {
  if (selector.by !== 'match' || !isPosition(match_start_chars) || !isPosition(match_end_chars)) return null
  return { q: selector.q, start_chars: match_start_chars, end_chars: match_end_chars }
}

/** Where a window begins: as the server says, or else where it was requested. */
function startOf(
  { start_chars }: JsonObject,
  match: FieldWindow['window']['match'],
  selector: Selector,
  asked: SelectorInput,
): number {
  if (typeof start_chars === 'number') return whole(start_chars)
  if (selector.by !== 'match') return asked.offset_chars ?? 0
  return Math.max(0, (match?.start_chars ?? 0) - selector.before)
}

/** The connection that the window names, or else the only one that the schema lists for the stream. */
async function connectionOf(
  client: ResourceServerClient,
  { connection_id, stream }: RecordReference,
  part: JsonObject,
): Promise<string | null> {
  const named = connection_id ?? filled(part.connection_id)
  if (named !== null) return named
  const schema = await declaredStreams(client, { stream }).catch(() => ({}) as JsonObject)
  const of = objectsIn(schema.streams).filter(each => (each.stream ?? each.name ?? stream) === stream)
  const connections = of.flatMap(each => (Array.isArray(each.connections) ? each.connections : []))
  const ids = new Set(connections.map(each => (isObject(each) ? filled(each.connection_id) : null)))
  return ids.size === 1 ? ([...ids][0] ?? null) : null
}
