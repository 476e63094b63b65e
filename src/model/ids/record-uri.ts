import { CodedError } from '../errors.ts'
import { parseResultId, type RecordReference } from './handle.ts'

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
  if (handle.length > MAX_HANDLE_CHARS) throw invalid(`has more than ${MAX_HANDLE_CHARS} characters`)
  if (!BASE64URL.test(handle)) throw invalid('is not base64url')
  const identity = parseObject(decodeBase64Url(handle))
  if (identity.v !== 1) throw invalid('has an unknown version')
  if (identity.kind !== kind) throw invalid(`is not of kind ${kind}`)
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
  if (handle.length > MAX_HANDLE_CHARS) throw invalid(`has more than ${MAX_HANDLE_CHARS} characters`)
  if (BASE64URL.test(handle)) return recordOf(decodeIdentity(handle, 'record'))
  if (!PATH_SEGMENT.test(handle)) throw invalid(NEITHER)
  return parseResultId(decodePercent(handle))
}

export function isRecordUri(text: string): boolean {
  return text.startsWith(RECORD_URI)
}

export function parseRecordUri(uri: string): RecordReference {
  if (!isRecordUri(uri)) throw invalid(`does not start with ${RECORD_URI}`)
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
  throw invalid(`has no ${segment}`, segment)
}

function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null) return { ...value }
  } catch {}
  throw invalid('does not contain a JSON object')
}

function decodeBase64Url(handle: string): string {
  const bytes = Buffer.from(handle, 'base64url')
  const text = bytes.toString()
  // Node's decoders accept stray bits and invalid UTF-8; encoding the result again reveals them.
  if (Buffer.from(text).toString('base64url') !== handle) throw invalid('is not base64url of UTF-8 text')
  return text
}

function decodePercent(handle: string): string {
  try {
    return decodeURIComponent(handle)
  } catch {
    throw invalid('is not percent-encoded UTF-8')
  }
}

function invalid(reason: string, segment = 'handle'): CodedError {
  const message = `The handle ${reason}. Pass the id or URI exactly as it was shown.`
  return new CodedError('invalid_result_id', message, { segment, reason })
}
