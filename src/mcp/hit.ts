import { advance, countCodePoints } from '../model/code-points.ts'
import { isRecordUri, parseRecordUri } from '../model/handle.ts'
import { isObject, type Json, type JsonObject } from '../model/json.ts'
import { parseResultId, type RecordReference } from '../model/result-id.ts'
import { type Call, fetchCall, readCall } from './field-call.ts'
import { type Handle, handleOf } from './reference.ts'
import { recordPath } from './resource-server-client.ts'

/** A match that the resource server has proven: where, and the text around it. */
export interface Evidence {
  field_path: string
  text: string
  /** The match inside `text`, in characters; null when the server gave no coordinates. */
  match: { start: number; end: number } | null
  /** Coordinates in the field; null when the server gave none. */
  range: { start: number; end: number; text_start: number; text_end: number } | null
  size_chars: number | null
  digest: string | null
}

/** A search hit, of whichever shape the resource server returned it. */
export interface Hit {
  /** As it came. */
  raw: Json
  handle: Handle
  /** Null for a hit that names no record: its id passes through as it is (ID-8). */
  reference: RecordReference | null
  title: string
  url: string
  evidence: Evidence | null
  /** Text that the server showed without proving a match. */
  snippet: string | null
  connector_key: string | null
  display_name: string | null
  occurred_at: string | null
  /** The call that goes on from here. */
  next: Call
}

const TITLE_CHARS = 120

export function readHit(raw: Json, index: number, query: string, providerUrl: string): Hit {
  const hit = isObject(raw) ? raw : {}
  const reference = referenceOf(hit)
  const handle = handleFor(hit, reference, index)
  const evidence = evidenceOf(hit)
  const title = firstText(hit, ['title', 'name'])
  return {
    raw,
    handle,
    reference,
    title: title === null ? nameOf(reference, handle) : title.slice(0, advance(title, 0, TITLE_CHARS)),
    url: urlOf(hit, reference, providerUrl),
    evidence,
    snippet: evidence ? null : snippetOf(hit.snippet),
    connector_key: firstText(hit, ['connector_key']),
    display_name: firstText(hit, ['display_name', 'display_label']),
    occurred_at: firstText(hit, ['occurred_at', 'authored_at', 'emitted_at']),
    next: nextCall(handle, evidence, query),
  }
}

function referenceOf(hit: JsonObject): RecordReference | null {
  const uri = firstText(hit, ['record_uri'])
  const stream = firstText(hit, ['stream'])
  const record_id = firstText(hit, ['record_key', 'record_id', 'id'])
  if (stream !== null && record_id !== null && !isRecordUri(record_id)) {
    return { connection_id: firstText(hit, ['connection_id']), stream, record_id }
  }
  return quietly(() => parseRecordUri(uri ?? record_id ?? ''))
}

/** The id of a hit: the server's own result id untouched where it is complete, else made of what the hit names. */
function handleFor(hit: JsonObject, reference: RecordReference | null, index: number): Handle {
  const minted = firstText(hit, ['result_id'])
  if (minted?.includes('/') && !isRecordUri(minted)) return { id: minted }
  if (reference) return handleOf(reference)
  const parsed = minted === null ? null : quietly(() => parseResultId(minted))
  if (parsed) return handleOf({ ...parsed, connection_id: firstText(hit, ['connection_id']) })
  const id = minted ?? firstText(hit, ['id', 'url']) ?? `result:${index + 1}`
  const connection_id = firstText(hit, ['connection_id'])
  return connection_id === null ? { id } : { id, connection_id }
}

function evidenceOf(hit: JsonObject): Evidence | null {
  const windows = [hit.match_windows, hit.evidence_excerpts].find(
    list => Array.isArray(list) && list.length > 0,
  )
  const window = Array.isArray(windows) ? windows[0] : undefined
  if (!isObject(window) || typeof window.field_path !== 'string' || typeof window.text !== 'string')
    return null
  const { start_chars, end_chars, text_start_chars, size_chars, digest } = window
  const located =
    typeof start_chars === 'number' && typeof end_chars === 'number' && typeof text_start_chars === 'number'
  return {
    field_path: window.field_path,
    text: window.text,
    match: located ? { start: start_chars - text_start_chars, end: end_chars - text_start_chars } : null,
    range: located
      ? {
          start: start_chars,
          end: end_chars,
          text_start: text_start_chars,
          text_end: text_start_chars + countCodePoints(window.text),
        }
      : null,
    size_chars: typeof size_chars === 'number' ? size_chars : null,
    digest: typeof digest === 'string' ? digest : null,
  }
}

/** From the beginning of the evidence; without coordinates from a word of the query that stands in it. */
function nextCall(handle: Handle, evidence: Evidence | null, query: string): Call {
  if (!evidence) return fetchCall(handle)
  if (evidence.range)
    return readCall(handle, evidence.field_path, { offset_chars: evidence.range.text_start })
  const shown = evidence.text.toLowerCase()
  const words = query.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const word = words.filter(each => shown.includes(each.toLowerCase())).sort((a, b) => b.length - a.length)[0]
  return readCall(handle, evidence.field_path, word === undefined ? {} : { q: word })
}

function snippetOf(snippet: Json | undefined): string | null {
  if (typeof snippet === 'string') return snippet === '' ? null : snippet
  return isObject(snippet) && typeof snippet.text === 'string' && snippet.text !== '' ? snippet.text : null
}

function urlOf(hit: JsonObject, reference: RecordReference | null, providerUrl: string): string {
  const given = firstText(hit, ['url'])
  if (given !== null && /^https?:\/\//.test(given)) return given
  return reference ? recordLink(providerUrl, reference) : providerUrl
}

/** Where a record stands in the resource server's own API. */
export function recordLink(
  providerUrl: string,
  { connection_id, stream, record_id }: RecordReference,
): string {
  const path = quietly(() => recordPath(stream, record_id))
  if (path === null) return providerUrl
  return `${providerUrl}${path}${connection_id === null ? '' : `?connection_id=${encodeURIComponent(connection_id)}`}`
}

function nameOf(reference: RecordReference | null, handle: Handle): string {
  const name = reference ? `${reference.stream} ${reference.record_id}` : handle.id
  return name.slice(0, advance(name, 0, TITLE_CHARS))
}

export function firstText(object: JsonObject, names: readonly string[]): string | null {
  for (const name of names) {
    const value = object[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return null
}

function quietly<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}
