import { CodedError } from '../../model/errors.ts'
import { formatResultId, type RecordReference, recordUri, referenceOf } from '../../model/ids/handle.ts'
import type { JsonObject } from '../../model/json.ts'

/** A handle for a record, and its connection separately if the handle cannot contain it (ID-8, ID-11). */
export interface Handle {
  id: string
  connection_id?: string
}

export function handleOf({ connection_id, stream, record_id }: RecordReference): Handle {
  const whole = formatResultId(connection_id, stream, record_id)
  if (whole !== null) return { id: whole }
  const plain = formatResultId(null, stream, record_id)
  if (plain !== null && connection_id !== null) return { id: plain, connection_id }
  return { id: recordUri(connection_id, stream, record_id) }
}

const MOST_RECORD_ID_BYTES = 1_024

/** The parts of an id, in addition to it. A record id that would leave no room for the rest is only in the id. */
export function partsOf({ connection_id, stream, record_id }: RecordReference): JsonObject {
  const short = Buffer.byteLength(record_id) <= MOST_RECORD_ID_BYTES
  return { connection_id: connection_id ?? '', stream, ...(short ? { record_id } : {}) }
}

/** A call that a model can make unchanged. */
export interface Call extends JsonObject {
  tool: string
  args: JsonObject
}

/** Where a text continues (LA-1). */
export function readCall(handle: Handle, field_path: string, selector: JsonObject = {}): Call {
  return { tool: 'read_record_field', args: { ...handle, field_path, ...selector } }
}

export function fetchCall(handle: Handle): Call {
  return { tool: 'fetch', args: { ...handle } }
}

/** The record that an id names, or a citation link of this server, which models pass as an id. */
export function namedBy(id: string, connection_id: string | undefined, origin: string): RecordReference {
  if (!/^https?:\/\//i.test(id)) return referenceOf(id, connection_id)
  const url = URL.parse(id)
  const own = new URL(origin)
  const page = `${own.pathname.replace(/\/$/, '')}/r/`
  if (url?.origin !== own.origin || !url.pathname.startsWith(page))
    throw unknown(`This link is not of a record of this server; those begin with ${own.origin}${page}.`)
  const segments = url.pathname.slice(page.length).split('/')
  // The pattern for links contains the id as it is, so the stream and the record are in one segment.
  const [linked, stream, record_id, ...others] = segments.map(decoded)
  if (linked === undefined || stream === undefined || others.length > 0)
    throw unknown('The link names no record.')
  const named = record_id === undefined ? `${linked}/${stream}` : recordUri(linked, stream, record_id)
  return referenceOf(named, connection_id)
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw unknown('The link is not encoded correctly.')
  }
}

function unknown(reason: string): CodedError {
  const message = `${reason} Pass an id or a link exactly as it was shown.`
  return new CodedError('invalid_result_id', message, { segment: 'id', reason })
}
