import { readBlob } from '../../api/blobs.ts'
import { addressOf } from '../../api/path.ts'
import { type FieldPath, pointer, valueAt } from '../../model/declaration/field-path.ts'
import { CodedError } from '../../model/errors.ts'
import { isObject } from '../../model/json.ts'
import { digestOf, putAt } from '../../model/reading/long-text.ts'
import type { Projection } from '../../model/reading/record.ts'
import type { Range } from '../../model/reading/window.ts'
import { countCodePoints, sliceCodePoints } from '../../model/text/code-points.ts'
import type { Literal } from '../../model/text/literal.ts'
import { findInText, readRange } from '../../store/records/long-text.ts'
import type { RequestContext } from '../request/context.ts'

/** A text that windows can be cut from: a text value, which need not all be in memory, or a list or object as JSON. */
export interface WindowedText {
  isJson: boolean
  size_chars: number
  digest: string
  read(range: Range): Promise<string>
  find(literal: Literal): Promise<Range | null>
}

/** Long texts inside a list or object are read for its JSON up to this many characters in total. */
const MOST_NESTED_CHARS = 1_000_000

/**
 * The text at a path of the visible data, or the JSON text of a list or object. Any other value is refused with what to
 * do instead (RF-10).
 */
export async function textAt(
  context: RequestContext,
  projection: Projection,
  path: FieldPath,
): Promise<WindowedText> {
  const { database } = context.store
  const long = projection.long_texts.find(
    candidate => pointer(candidate.path) === pointer([path.field, ...path.rest]),
  )
  if (long) {
    return {
      isJson: false,
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
  if (typeof value === 'string') return inMemory(value, false)
  const isBlob = isObject(value) && typeof value.blob_id === 'string'
  if (isBlob || !(Array.isArray(value) || isObject(value))) throw notText(value, path)
  await completeTexts(context, projection, path)
  return inMemory(JSON.stringify(value), true)
}

function inMemory(text: string, isJson: boolean): WindowedText {
  return {
    isJson,
    size_chars: countCodePoints(text),
    digest: digestOf(text),
    read: async ({ start, end }) => sliceCodePoints(text, start, end),
    find: async literal => {
      const scan = literal.scan()
      return scan.push(text) ?? scan.end()
    },
  }
}

/** Puts the long texts inside a value back into their places. */
async function completeTexts(
  context: RequestContext,
  projection: Projection,
  path: FieldPath,
): Promise<void> {
  const inside = `${pointer([path.field, ...path.rest])}/`
  const texts = projection.long_texts.filter(({ path }) => pointer(path).startsWith(inside))
  if (texts.reduce((sum, { size_chars }) => sum + size_chars, 0) > MOST_NESTED_CHARS) {
    const [first] = texts
    const named = first ? ` such as ${pointer(first.path)}` : ''
    const message = `The value at ${path.text} is too large to be read as JSON. Read the texts inside it by JSON Pointers${named}.`
    throw new CodedError('field_not_text', message, { param: 'field' })
  }
  for (const { path, text_no, size_chars } of texts) {
    const range = { start: 0, end: size_chars }
    putAt(projection.data, path, await readRange(context.store.database, context.owner_id, text_no, range))
  }
}

function notText(value: unknown, path: FieldPath): CodedError {
  const kind =
    value === null ? 'null' : Array.isArray(value) ? 'array' : isObject(value) ? 'object' : typeof value
  const blob =
    isObject(value) && typeof value.blob_id === 'string'
      ? ` Its bytes are at ${addressOf(readBlob, { blob_id: value.blob_id })}.`
      : ''
  return new CodedError(
    'field_not_text',
    `The value at ${path.text} is ${kind}, not text. Read the record to see it.${blob}`,
    {
      param: 'field',
      json_type: kind,
    },
  )
}
