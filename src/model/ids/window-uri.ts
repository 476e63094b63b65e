import { parseFieldPath } from '../declaration/field-path.ts'
import { CodedError } from '../errors.ts'
import { parseSelector, type SelectorInput } from '../reading/window.ts'
import {
  BASE64URL,
  decodeIdentity,
  encodeIdentity,
  type Identity,
  MAX_HANDLE_CHARS,
  type RecordReference,
  recordOf,
} from './handle.ts'

/** One window of one field of one record, as named in `resources/read`. */
interface WindowReference {
  record: RecordReference
  field_path: string
  /** By offset or by match. A cursor would be bound to a grant, and handles carry no authority (RS-3). */
  selector: SelectorInput
  /** The digest of the text that the window was cut from. A different digest means that the text has changed (LA-7). */
  digest: string | null
}

const FIELD_WINDOW_URI = 'pdpp://field-window/'
const BLOB_URI = 'pdpp://blob/'
const POSITIONS = ['offset_chars', 'limit_chars', 'before_chars', 'after_chars'] as const

export function fieldWindowUri({ record, field_path, selector, digest }: WindowReference): string {
  const handle = encodeIdentity('field-window', { ...record, field_path, ...selector, digest })
  return `${FIELD_WINDOW_URI}${handle}`
}

export function isFieldWindowUri(uri: string): boolean {
  return uri.startsWith(FIELD_WINDOW_URI)
}

export function parseFieldWindowUri(uri: string): WindowReference {
  const identity = decodeIdentity(uri.slice(FIELD_WINDOW_URI.length), 'field-window')
  const { field_path, digest } = identity
  if (typeof field_path !== 'string') throw invalid('has no field_path')
  return {
    record: recordOf(identity),
    field_path: parseFieldPath(field_path).text,
    selector: selectorOf(identity),
    digest: typeof digest === 'string' ? digest : null,
  }
}

function selectorOf(identity: Identity): SelectorInput {
  const selector: SelectorInput = {}
  if (typeof identity.q === 'string') selector.q = identity.q
  else if (identity.q !== undefined) throw invalid('has a q that is not a string')
  for (const name of POSITIONS) {
    const value = identity[name]
    if (typeof value === 'number') selector[name] = value
    else if (value !== undefined) throw invalid(`has a ${name} that is not a number`)
  }
  parseSelector(selector)
  return selector
}

/** A blob's own id if that fits into a handle; otherwise an encoding of it. */
export function blobUri(blob_id: string): string {
  const fits = BASE64URL.test(blob_id) && !isEncoded(blob_id)
  return `${BLOB_URI}${fits ? blob_id : encodeIdentity('blob', { blob_id })}`
}

export function isBlobUri(uri: string): boolean {
  return uri.startsWith(BLOB_URI)
}

export function parseBlobUri(uri: string): string {
  const handle = uri.slice(BLOB_URI.length)
  if (handle.length > MAX_HANDLE_CHARS) throw invalid(`has more than ${MAX_HANDLE_CHARS} characters`)
  if (!BASE64URL.test(handle)) throw invalid('is not base64url')
  if (!isEncoded(handle)) return handle
  const { blob_id } = decodeIdentity(handle, 'blob')
  if (typeof blob_id !== 'string' || blob_id === '') throw invalid('has no blob_id')
  return blob_id
}

/** base64url of `{"`, which every encoded identity starts with. */
function isEncoded(handle: string): boolean {
  return handle.startsWith('eyJ')
}

function invalid(reason: string): CodedError {
  const message = `The handle ${reason}. Pass the URI exactly as it was given.`
  return new CodedError('invalid_result_id', message, { segment: 'handle', reason })
}
