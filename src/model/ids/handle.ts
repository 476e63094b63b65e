import { CodedError } from '../errors.ts'
import { isPrintable } from '../text/code-points.ts'

export interface RecordReference {
  connection_id: string | null
  stream: string
  record_id: string
}

const MAX_ID_CHARS = 8192

/** What ID-2 forbids in every segment. A parsed id is refused for no other reason. */
const FORBIDDEN: { reason: string; found: (segment: string) => boolean }[] = [
  { reason: 'is empty', found: segment => segment === '' },
  { reason: 'is "."', found: segment => segment === '.' },
  { reason: 'contains ".."', found: segment => segment.includes('..') },
  { reason: 'contains "/", an extra separator', found: segment => segment.includes('/') },
  { reason: 'contains "\\"', found: segment => segment.includes('\\') },
]

/** `{connection_id}/{stream}:{record_id}`, or without `/` the legacy `{stream}:{record_id}` (ID-1, ID-3). */
export function parseResultId(id: string): RecordReference {
  if (id.length > MAX_ID_CHARS) throw invalid('id', `has more than ${MAX_ID_CHARS} characters`)
  const slash = id.indexOf('/')
  const connection_id = slash === -1 ? null : id.slice(0, slash)
  const rest = id.slice(slash + 1)
  const colon = rest.indexOf(':')
  const stream = colon === -1 ? rest : rest.slice(0, colon)
  if (connection_id !== null) checkSegment('connection_id', connection_id)
  checkSegment('stream', stream)
  if (colon === -1) throw invalid('record_id', 'is missing: no ":" follows the stream')
  const record_id = rest.slice(colon + 1)
  checkSegment('record_id', record_id)
  return { connection_id, stream, record_id }
}

/** Null if the grammar or a line of text cannot express the record; it then has a handle instead (ID-11). */
export function formatResultId(
  connection_id: string | null,
  stream: string,
  record_id: string,
): string | null {
  const segments = connection_id === null ? [stream, record_id] : [connection_id, stream, record_id]
  // White space at the ends would be lost when a model copies the id.
  const unfit = segments.some(
    segment => !isPrintable(segment) || segment.trim() !== segment || forbiddenIn(segment) !== undefined,
  )
  if (unfit || stream.includes(':')) return null
  const id = `${connection_id === null ? '' : `${connection_id}/`}${stream}:${record_id}`
  return id.length > MAX_ID_CHARS ? null : id
}

function checkSegment(name: keyof RecordReference, segment: string): void {
  const reason = forbiddenIn(segment)
  if (reason !== undefined) throw invalid(name, reason)
}

function forbiddenIn(segment: string): string | undefined {
  return FORBIDDEN.find(({ found }) => found(segment))?.reason
}

function invalid(segment: string, reason: string): CodedError {
  const message = `The result id's ${segment === 'id' ? 'text' : segment} ${reason}. Pass the id exactly as search showed it: {connection_id}/{stream}:{record_id}.`
  return new CodedError('invalid_result_id', message, { segment, reason })
}

/**
 * Returns the reference if a request can name it. A URI or three separate parts can express what a text id cannot, such
 * as a slash, but not what no URL can express. That is refused like a malformed id, before any request is sent.
 */
export function nameable(reference: RecordReference): RecordReference {
  for (const [segment, value] of Object.entries(reference)) {
    const reason = value === null ? undefined : UNNAMEABLE.find(({ found }) => found(value))?.reason
    if (reason === undefined) continue
    const message = `The ${segment} ${reason}. Pass the id exactly as it was shown.`
    throw new CodedError('invalid_result_id', message, { segment, reason })
  }
  return reference
}

const UNNAMEABLE: { reason: string; found: (segment: string) => boolean }[] = [
  { reason: 'is empty', found: segment => segment === '' },
  { reason: 'is "." or ".."', found: segment => segment === '.' || segment === '..' },
  { reason: 'contains U+0000', found: segment => segment.includes('\0') },
]

/** The record that an id names: self-contained, legacy with a separate connection, or a record URI (ID-4 to ID-12). */
export function referenceOf(id: string, connection_id: string | undefined): RecordReference {
  const reference = nameable(isRecordUri(id) ? parseRecordUri(id) : parseResultId(id))
  if (connection_id === undefined || connection_id === reference.connection_id) return reference
  if (reference.connection_id === null) return { ...reference, connection_id }
  throw new CodedError(
    'conflicting_connection_id',
    `The id names connection ${reference.connection_id}, connection_id names ${connection_id}. Leave connection_id out.`,
    { param: 'connection_id', id_connection_id: reference.connection_id, connection_id },
  )
}

/**
 * Enough for a record id of 1,024 characters in the worst case: 12 per character in percent-encoding, 8 as an escape in
 * base64url.
 */
export const MAX_HANDLE_CHARS = 16_384
const RECORD_URI = 'pdpp://record/'
const CONVERSATION_URI = 'pdpp://conversation/'
export const BASE64URL = /^[A-Za-z0-9_-]+$/

/** What a handle contains. Identities of every kind are encoded the same way. */
export type Identity = Record<string, unknown>

/** Encodes the name of a thing of any kind in `[A-Za-z0-9_-]`. It identifies but does not authorize (RC-1, RS-3). */
export function encodeIdentity(kind: string, identity: object): string {
  return Buffer.from(JSON.stringify({ v: 1, kind, ...identity })).toString('base64url')
}

export function decodeIdentity(handle: string, kind: string): Identity {
  if (handle.length > MAX_HANDLE_CHARS) throw invalidUri(`has more than ${MAX_HANDLE_CHARS} characters`)
  if (!BASE64URL.test(handle)) throw invalidUri('is not base64url')
  const identity = parseObject(decodeBase64Url(handle))
  if (identity.v !== 1) throw invalidUri('has an unknown version')
  if (identity.kind !== kind) throw invalidUri(`is not of kind ${kind}`)
  return identity
}

/** One path segment of RFC 3986: nothing that could end it, in particular no `/`. */
const PATH_SEGMENT = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+$/

export function recordHandle(connection_id: string | null, stream: string, record_id: string): string {
  return encodeIdentity('record', { connection_id, stream, record_id })
}

export function recordUri(connection_id: string | null, stream: string, record_id: string): string {
  return `${RECORD_URI}${recordHandle(connection_id, stream, record_id)}`
}

const NEITHER = 'is neither base64url nor a percent-encoded result id such as cin_4f2a%2Fmessages%3Am-17'

/** A handle made by `recordHandle`, or a percent-encoded result id. */
export function parseRecordHandle(handle: string): RecordReference {
  if (handle.length > MAX_HANDLE_CHARS) throw invalidUri(`has more than ${MAX_HANDLE_CHARS} characters`)
  if (BASE64URL.test(handle)) return recordOf(decodeIdentity(handle, 'record'))
  if (!PATH_SEGMENT.test(handle)) throw invalidUri(NEITHER)
  return parseResultId(decodePercent(handle))
}

export function isRecordUri(text: string): boolean {
  return text.startsWith(RECORD_URI)
}

export function parseRecordUri(uri: string): RecordReference {
  if (!isRecordUri(uri)) throw invalidUri(`does not start with ${RECORD_URI}`)
  return parseRecordHandle(uri.slice(RECORD_URI.length))
}

export function isConversationUri(text: string): boolean {
  return text.startsWith(CONVERSATION_URI)
}

/** The record whose conversation is read; the handle is that of its record URI. */
export function parseConversationUri(uri: string): RecordReference {
  return parseRecordHandle(uri.slice(CONVERSATION_URI.length))
}

/** The record that an identity names. */
export function recordOf(identity: Identity): RecordReference {
  return {
    connection_id: identity.connection_id == null ? null : nonEmpty(identity, 'connection_id'),
    stream: nonEmpty(identity, 'stream'),
    record_id: nonEmpty(identity, 'record_id'),
  }
}

function nonEmpty(identity: Identity, segment: keyof RecordReference): string {
  const value = identity[segment]
  if (typeof value === 'string' && value !== '') return value
  throw invalidUri(`has no ${segment}`, segment)
}

function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null) return { ...value }
  } catch {}
  throw invalidUri('does not contain a JSON object')
}

function decodeBase64Url(handle: string): string {
  const bytes = Buffer.from(handle, 'base64url')
  const text = bytes.toString()
  // Node's decoders accept stray bits and invalid UTF-8; encoding the result again reveals them.
  if (Buffer.from(text).toString('base64url') !== handle) throw invalidUri('is not base64url of UTF-8 text')
  return text
}

function decodePercent(handle: string): string {
  try {
    return decodeURIComponent(handle)
  } catch {
    throw invalidUri('is not percent-encoded UTF-8')
  }
}

function invalidUri(reason: string, segment = 'handle'): CodedError {
  const message = `The handle ${reason}. Pass the id or URI exactly as it was shown.`
  return new CodedError('invalid_result_id', message, { segment, reason })
}
