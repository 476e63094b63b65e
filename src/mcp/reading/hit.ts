import { readRecord } from '../../api/records.ts'
import { addressOf } from '../../api/route.ts'
import {
  isRecordUri,
  parseRecordUri,
  parseResultId,
  type RecordReference,
  referenceOf as referenceFrom,
} from '../../model/ids/handle.ts'
import { isObject, type Json, type JsonObject, objectsIn } from '../../model/json.ts'
import type { FieldValue } from '../../model/reading/field-values.ts'
import { cutText } from '../../model/reading/record.ts'
import { countCodePoints, isPrintable } from '../../model/text/code-points.ts'
import { localTime, TimeZone } from '../../model/time.ts'
import { type Call, fetchCall, type Handle, handleOf, readCall } from '../text/record-handle.ts'
import { isPosition } from './window-shape.ts'

/** How many more places of a hit are asked for: around three windows, most answers in a long text are found. */
export const MOST_PLACES = 2

/** A match that the resource server has verified: where it is, and the text around it. */
export interface Evidence {
  field_path: string
  text: string
  /** The match inside `text`, in characters; null if the server gave no coordinates. */
  match: { start: number; end: number } | null
  /** Coordinates in the field; null if the server gave none. */
  range: { start: number; end: number; text_start: number; text_end: number } | null
  size_chars: number | null
  digest: string | null
  mime_type: string | null
}

/** Where in a long text more proven matches are, in characters; the best first. */
export interface FurtherPlaces {
  field_path: string
  offset_chars: number[]
}

/** A search hit, whatever its shape in the server's response. */
export interface Hit {
  /** The hit as received. */
  raw: Json
  handle: Handle
  /** Null for a hit that names no record: its id is passed through unchanged (ID-8). */
  reference: RecordReference | null
  /** Whether the hit before it is a match in the same record. */
  isFurther: boolean
  title: string
  /** Whether the record has a title that the text shown with it does not begin with. */
  isTitled: boolean
  /** The title, or else the first words of what is shown; null if there is neither. */
  words: string | null
  author: string | null
  url: string
  evidence: Evidence | null
  /** Where the next best matches are, for a call that reads the field from there; null if the server gave none. */
  also: FurtherPlaces | null
  /** Text that the server showed without a verified match. */
  snippet: string | null
  /** The start of the record's text, if the evidence is in another field. */
  beginning: FieldValue | null
  /** Values of a record without a text that are not visible in its title or evidence. */
  values: FieldValue[]
  /** The names of the files that the query asked for, unless the title is the name. */
  files: string[]
  /** How many more hits of its conversation follow the page. */
  further: number
  connector_key: string | null
  display_name: string | null
  /** In the reader's local time. */
  occurred_at: string | null
  /** The call that continues reading from here; null if the hit names no record that a call could request. */
  next: Call | null
}

const TITLE_CHARS = 120

export function readHit(
  raw: Json,
  index: number,
  query: string,
  providerUrl: string,
  zone = new TimeZone('UTC'),
): Hit {
  const hit = isObject(raw) ? raw : {}
  const reference = referenceOf(hit)
  const handle = handleFor(hit, reference, index)
  const callable = isWhole(handle) ? handle : reference && handleOf(reference)
  const evidence = evidenceOf(hit)
  const snippet = evidence ? null : snippetOf(hit.snippet)
  const title = firstText(hit, ['title', 'name'])
  const words = title ?? evidence?.text ?? snippet
  const occurred_at = labelOf(hit, 'occurred_at' in hit ? ['occurred_at'] : ['authored_at', 'emitted_at'])
  return {
    raw,
    handle,
    reference,
    isFurther: false,
    title: cutText((title ?? words)?.trim() || nameOf(reference, handle), TITLE_CHARS),
    isTitled: title !== null && !beginsWith(evidence?.text ?? snippet ?? '', title),
    words: words?.trim() || null,
    author: labelOf(hit, ['author']),
    url: urlOf(hit, reference, providerUrl),
    evidence,
    also: placesOf(hit.also_at),
    snippet,
    beginning: evidence && beginningOf(hit.snippet, evidence),
    values: fieldValues(hit.values).filter(
      ({ text }) => !(evidence?.text ?? snippet ?? '').includes(text.replace(/…$/, '')),
    ),
    files: fieldValues(hit.files).flatMap(({ text }) => (text === title ? [] : [text])),
    further: isPosition(hit.more_in_conversation) ? hit.more_in_conversation : 0,
    connector_key: labelOf(hit, ['connector_key']),
    display_name: labelOf(hit, ['display_name', 'display_label']),
    occurred_at: localTime(occurred_at, zone),
    next: callable && nextCall(callable, evidence, query),
  }
}

/** The server shows it as a snippet of another field than the evidence. */
function beginningOf(snippet: Json | undefined, { field_path, text: shown }: Evidence): FieldValue | null {
  const [value] = fieldValues([snippet ?? null])
  return value && value.field !== field_path && !shown.includes(value.text) ? value : null
}

function fieldValues(values: Json | undefined): FieldValue[] {
  return objectsIn(values).flatMap(({ field, text }) =>
    typeof field === 'string' && typeof text === 'string' ? [{ field, text }] : [],
  )
}

/** White space that is not a single space already. */
const SPACES = /\s{2,}|[^\S ]/g

/** Whether a text begins with a title, which may be cut. */
function beginsWith(text: string, title: string): boolean {
  const plain = (part: string) => part.replace(SPACES, ' ').trim()
  return plain(text).startsWith(plain(title.replace(/…$/, '')))
}

/** The record that the hit itself names; a bare `id` may be the record's or the hit's own. */
function referenceOf(hit: JsonObject): RecordReference | null {
  const connection_id = firstName(hit, ['connection_id'])
  const stream = firstName(hit, ['stream'])
  const key = firstName(hit, ['record_key', 'record_id'])
  const id = firstName(hit, ['id'])
  if (stream !== null && key !== null && !isRecordUri(key)) return { connection_id, stream, record_id: key }
  for (const uri of [firstName(hit, ['record_uri']), key, id]) {
    const named = uri === null ? null : quietly(() => parseRecordUri(uri))
    if (named) return { ...named, connection_id: named.connection_id ?? connection_id }
  }
  if (stream !== null && id !== null) return { connection_id, stream, record_id: id }
  const minted = firstName(hit, ['result_id'])
  return minted?.includes('/') ? quietly(() => parseResultId(minted)) : null
}

/** The id of a hit: the server's own result id if it is complete, otherwise built from what the hit names. */
function handleFor(hit: JsonObject, reference: RecordReference | null, index: number): Handle {
  const minted = firstName(hit, ['result_id'])
  if (minted?.includes('/') && !isRecordUri(minted) && isPrintable(minted)) return { id: minted }
  if (reference) return handleOf(reference)
  const id = [minted, ...['id', 'url'].map(name => firstName(hit, [name]))].find(
    each => each !== null && isPrintable(each),
  )
  const connection_id = firstName(hit, ['connection_id'])
  return { id: id ?? `result:${index + 1}`, ...(connection_id === null ? {} : { connection_id }) }
}

/** An id that only numbers the hits of a page. */
const POSITIONAL = /^result:\d+$/

/** Whether an id can be requested unchanged. */
function isWhole({ id, connection_id }: Handle): boolean {
  return !POSITIONAL.test(id) && quietly(() => referenceFrom(id, connection_id)) !== null
}

/** The first window that names a field and shows its text; other servers call the text of an excerpt `preview_text`. */
function evidenceOf(hit: JsonObject): Evidence | null {
  const windows = [hit.match_windows, hit.evidence_excerpts].flatMap(list =>
    Array.isArray(list) ? list : [],
  )
  for (const window of windows) {
    if (!isObject(window)) continue
    const { field_path, size_chars, digest, mime_type } = window
    const text = window.text ?? window.preview_text
    if (typeof field_path !== 'string' || field_path === '' || typeof text !== 'string') continue
    const range = rangeOf(window, text)
    return {
      field_path,
      text,
      match: range && { start: range.start - range.text_start, end: range.end - range.text_start },
      range,
      size_chars: isPosition(size_chars) ? size_chars : null,
      digest: typeof digest === 'string' ? digest : null,
      mime_type: typeof mime_type === 'string' ? cutText(mime_type, TITLE_CHARS) : null,
    }
  }
  return null
}

function placesOf(also: Json | undefined): FurtherPlaces | null {
  const { field_path, offset_chars } = isObject(also) ? also : {}
  if (typeof field_path !== 'string' || field_path === '' || !Array.isArray(offset_chars)) return null
  const places = offset_chars.filter(isPosition).slice(0, MOST_PLACES)
  return places.length === 0 ? null : { field_path, offset_chars: places }
}

/** The coordinates of a window, if they are plausible. */
function rangeOf(window: JsonObject, text: string): Evidence['range'] {
  const { start_chars: start, end_chars: end, text_start_chars: text_start } = window
  if (!isPosition(start) || !isPosition(end) || !isPosition(text_start)) return null
  const text_end = text_start + countCodePoints(text)
  return text_start <= start && start <= end && end <= text_end ? { start, end, text_start, text_end } : null
}

/** Starts at the evidence; without coordinates, at a word of the query that it contains. */
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
  if (given !== null && isLink(given)) return given
  return reference ? recordLink(providerUrl, reference) : providerUrl
}

const MOST_LINK_CHARS = 2_048

/** A link that a person can open and that is short enough to use. */
export function isLink(url: string): boolean {
  return /^https?:\/\/[^\s\p{C}]+$/u.test(url) && url.length <= MOST_LINK_CHARS
}

/** The path of a record in the resource server's API. */
export function recordLink(
  providerUrl: string,
  { connection_id, stream, record_id }: RecordReference,
): string {
  const query = { connection_id: connection_id?.toWellFormed() }
  const address = quietly(() => addressOf(readRecord, { stream, record_id }, query))
  if (address === null) return providerUrl
  const link = `${providerUrl}${address}`
  return isLink(link) ? link : providerUrl
}

function nameOf(reference: RecordReference | null, handle: Handle): string {
  return reference ? `${reference.stream} ${reference.record_id}` : handle.id
}

function labelOf(hit: JsonObject, names: readonly string[]): string | null {
  const label = firstText(hit, names)
  return label === null ? null : cutText(label, TITLE_CHARS)
}

/** Ids have at most 1,024 characters, and result ids have three parts; nothing longer can be requested. */
const MOST_NAME_CHARS = 8_192

export function firstName(object: JsonObject, names: readonly string[]): string | null {
  const name = firstText(object, names)
  return name !== null && name.length <= MOST_NAME_CHARS ? name : null
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
