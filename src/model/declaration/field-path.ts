import { CodedError } from '../errors.ts'
import { isObject, type Json, own } from '../json.ts'

/** The path to a value inside a record's data: a top-level field, then keys and array indexes (RF-11). */
export interface FieldPath {
  /** As shown to callers: the field's name, or a JSON Pointer for a nested value. */
  text: string
  field: string
  rest: string[]
}

export const MAX_PATH_CHARS = 1_024

/** Parses a top-level field name or a JSON Pointer (RFC 6901). */
export function parseFieldPath(text: string): FieldPath {
  if (text === '' || text.length > MAX_PATH_CHARS)
    throw invalid('A field path must have 1 to 1,024 characters.')
  if (!text.startsWith('/')) return { text, field: text, rest: [] }
  const segments = text.slice(1).split('/').map(unescapeSegment)
  const [field = '', ...rest] = segments
  if (field === '') throw invalid('A JSON Pointer starts with the name of a field: /field/0/key.')
  return pathOf(field, rest)
}

export function pathOf(field: string, rest: readonly string[] = []): FieldPath {
  const plain = rest.length === 0 && !field.startsWith('/')
  return { text: plain ? field : pointer([field, ...rest]), field, rest: [...rest] }
}

export function pointer(segments: readonly string[]): string {
  return segments.map(segment => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function unescapeSegment(segment: string): string {
  if (/~(?![01])/.test(segment)) throw invalid('In a JSON Pointer "~" is written ~0 and "/" is written ~1.')
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** The value at a path; undefined if there is none. */
export function valueAt(data: Json, path: FieldPath): Json | undefined {
  let value: Json | undefined = data
  for (const segment of [path.field, ...path.rest]) {
    if (Array.isArray(value)) value = /^(0|[1-9]\d{0,9})$/.test(segment) ? value[Number(segment)] : undefined
    else if (isObject(value)) value = own(value, segment)
    else return undefined
  }
  return value
}

function invalid(message: string): CodedError {
  return new CodedError('invalid_field_path', message, { param: 'field' })
}
