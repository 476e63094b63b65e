import { createHash } from 'node:crypto'
import { countCodePoints } from '../model/code-points.ts'
import { stale, type WindowPosition } from '../model/cursor.ts'
import { isObject, type JsonObject } from '../model/json.ts'
import type { RecordReference } from '../model/result-id.ts'
import {
  DEFAULT_LIMIT_CHARS,
  parseSelector,
  rangeUpTo,
  type Selector,
  type SelectorInput,
} from '../model/window.ts'
import type { ResourceServerClient } from './resource-server-client.ts'
import { type FieldWindow, fieldFacts, filled, unreadable, whole, windowPath } from './window.ts'

/** A window of a server that makes neither cursors nor digests: the adapter makes cursors of its own (RF-8). */
export async function readPlainWindow(
  client: ResourceServerClient,
  record: RecordReference,
  field_path: string,
  input: SelectorInput,
): Promise<FieldWindow> {
  const selector = parseSelector(input)
  const names: JsonObject = { ...record, field_path }
  const binding = JSON.stringify([client.binding, record, field_path])
  const now = new Date()
  const { cursors } = client.provider
  const at = selector.by === 'cursor' ? cursors.openWindow(selector.cursor, binding, null, now, names) : null
  const limit = limitOf(selector, at)
  const body = await client.get(windowPath(record), {
    connection_id: record.connection_id ?? undefined,
    field: field_path,
    ...(at ? positionOf(at, limit) : input),
  })
  const part = isObject(body.window) ? { ...body, ...body.window } : body
  if (typeof part.text !== 'string') throw unreadable()
  const start = whole(part.start_chars)
  const end = start + countCodePoints(part.text)
  const total = typeof part.total_chars === 'number' ? part.total_chars : null
  // The length is all that tells one text of such a server from another.
  const digest = `sha256:${createHash('sha256').update(`${total}`).digest('hex')}`
  if (at && !digest.startsWith(at.digest)) throw stale(names)
  const more = total === null ? typeof part.next_offset_chars === 'number' : end < total
  const cursor = (direction: WindowPosition['direction'], position: number) =>
    cursors.sealWindow({ direction, position, limit, digest }, binding, now)
  return {
    record: { ...record, connection_id: await connectionOf(client, record, part) },
    field: {
      path: field_path,
      ...fieldFacts(isObject(body.field) ? body.field : body),
      ...(total === null ? {} : { size_chars: total }),
    },
    window: {
      start_chars: start,
      end_chars: end,
      limit_chars: limit,
      complete: start === 0 && !more,
      next_cursor: more ? cursor('forward', end) : null,
      previous_cursor: start > 0 ? cursor('backward', start) : null,
      match: matchOf(selector, part),
      text: part.text,
    },
  }
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
  if (selector.by !== 'match' || typeof match_start_chars !== 'number') return null
  return { q: selector.q, start_chars: match_start_chars, end_chars: whole(match_end_chars) }
}

/** The connection that the window names, else the only one that the schema lists for the stream. */
async function connectionOf(
  client: ResourceServerClient,
  { connection_id, stream }: RecordReference,
  part: JsonObject,
): Promise<string | null> {
  const named = filled(part.connection_id) ?? connection_id
  if (named !== null) return named
  const schema = await client.get('/v1/schema', { stream }).catch(() => ({}) as JsonObject)
  const streams = Array.isArray(schema.streams) ? schema.streams : []
  const connections = streams.flatMap(each =>
    isObject(each) && Array.isArray(each.connections) ? each.connections : [],
  )
  const ids = new Set(connections.map(each => (isObject(each) ? filled(each.connection_id) : null)))
  return ids.size === 1 ? ([...ids][0] ?? null) : null
}
