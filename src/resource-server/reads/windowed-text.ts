import { readBlob } from '../../api/blobs.ts'
import { addressOf } from '../../api/path.ts'
import { type FieldPath, pointer, valueAt } from '../../model/declaration/field-path.ts'
import { CodedError } from '../../model/errors.ts'
import { isObject } from '../../model/json.ts'
import { digestOf } from '../../model/reading/long-text.ts'
import type { Projection } from '../../model/reading/record.ts'
import type { Range } from '../../model/reading/window.ts'
import { countCodePoints, sliceCodePoints } from '../../model/text/code-points.ts'
import type { Literal } from '../../model/text/literal.ts'
import { findInText, readRange } from '../../store/records/long-text.ts'
import type { RequestContext } from '../request/context.ts'

/** A text value that windows can be cut from without having it all in memory. */
export interface WindowedText {
  size_chars: number
  digest: string
  read(range: Range): Promise<string>
  find(literal: Literal): Promise<Range | null>
}

/** The text at a path of the visible data; a value that is not text is refused with what to do instead (RF-10). */
export function textAt(context: RequestContext, projection: Projection, path: FieldPath): WindowedText {
  const { database } = context.store
  const long = projection.long_texts.find(
    candidate => pointer(candidate.path) === pointer([path.field, ...path.rest]),
  )
  if (long) {
    return {
      size_chars: long.size_chars,
      digest: long.digest,
      read: range => readRange(database, context.owner_id, long.text_no, range),
      find: literal =>
        findInText(database, context.owner_id, long.text_no, long.size_chars, literal, context.budget),
    }
  }
  const value = valueAt(projection.data, path)
  if (value === undefined) {
    throw new CodedError('field_not_found', `The record has no value at ${path.text}.`, { param: 'field' })
  }
  if (typeof value !== 'string') throw notText(value, path)
  return {
    size_chars: countCodePoints(value),
    digest: digestOf(value),
    read: async ({ start, end }) => sliceCodePoints(value, start, end),
    find: async literal => {
      const scan = literal.scan()
      return scan.push(value) ?? scan.end()
    },
  }
}

function notText(value: unknown, path: FieldPath): CodedError {
  const kind =
    value === null ? 'null' : Array.isArray(value) ? 'array' : isObject(value) ? 'object' : typeof value
  const nested = kind === 'array' || kind === 'object'
  const instead = nested
    ? `Name a text inside it by a JSON Pointer such as ${pointer([path.field, ...path.rest])}/0, or read the record.`
    : 'Read the record to see it.'
  const blob =
    isObject(value) && typeof value.blob_id === 'string'
      ? ` Its bytes are at ${addressOf(readBlob, { blob_id: value.blob_id })}.`
      : ''
  return new CodedError(
    'field_not_text',
    `The value at ${path.text} is ${kind}, not text. ${instead}${blob}`,
    {
      param: 'field',
      json_type: kind,
    },
  )
}
