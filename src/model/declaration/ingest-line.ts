import {
  cleanText,
  define,
  isObject,
  isRawNumber,
  isTooDeep,
  type Json,
  type JsonObject,
  mayNeedCleaning,
  own,
  parseJson,
  plainNumbers,
} from '../json.ts'
import { isLongText, LONG_TEXT_CHARS, type TakenText } from '../text/pieces.ts'
import { instantKey, instantText } from '../time.ts'
import { badMediaType, base64Taker, type TakenBytes } from './blob.ts'
import {
  type ConversationPlace,
  conversationFields,
  conversationOf,
  conversationPlace,
} from './conversation.ts'
import { formatOf, type StreamDeclaration, timeField } from './declaration.ts'
import { isRecordId, RECORD_ID_CHARS, recordIdOf, sortKey, timeKey } from './keys.ts'
import { validatorOf } from './schema.ts'

/** What one line asks for. */
export type Operation =
  | { op: 'delete'; record_id: string; emitted_at: string | null; cleaned: number }
  | {
      op: 'upsert'
      record_id: string
      /** Where the record was in the imported files. */
      place: string | null
      emitted_at: string | null
      data: JsonObject
      /** Long texts that were taken out of the data while the line arrived. */
      texts: TakenText[]
      /** The blobs that the data contained as base64 and now refers to. */
      blobs: TakenBytes[]
      sort_key: string | null
      time_key: string | null
      /** Its place in the conversation that it belongs to. */
      conversation: ConversationPlace
      /** The length of the line: a short one cannot contain a long text. */
      line_chars: number
      /** The number of characters that were replaced because no engine can store them. */
      cleaned: number
    }

/** A long text that was cut out of a line; the line has a mark in its place. */
export interface CutText extends Omit<TakenText, 'path'> {
  mark: string
  cleaned: number
  /** The length it had in the line. */
  line_chars: number
}

export class Rejection extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const LINE_KEYS = new Set(['key', 'data', 'emitted_at', 'op', 'type', 'stream', 'place'])
const MOST_PLACE_CHARS = 1_000
/**
 * A record is parsed whole for each read, apart from its long texts, so this bounds the cost of a read. With its texts
 * cut it also fits into an answer to the MCP adapter.
 */
export const MOST_RECORD_CHARS = 1024 * 1024

/** Returns a parser for the lines of one stream; the schema is compiled once. */
export function lineReader(
  stream: StreamDeclaration,
  timeField: string | undefined,
): (text: string, cut?: readonly CutText[]) => Operation {
  const problemOf = validatorOf(stream.schema)
  const takeBase64 = base64Taker(stream)
  const cursorFormat = stream.cursor_field && formatOf(stream, stream.cursor_field)

  return (text, cut = []) => {
    const { line, cleaned } = parseLine(text)
    for (const key of Object.keys(line)) {
      if (!LINE_KEYS.has(key)) throw new Rejection('invalid_line', `Unknown member "${key}" in a line.`)
    }
    // Other producers may write `type` and `stream` into each line.
    if ((line.type ?? 'RECORD') !== 'RECORD' || (line.stream ?? stream.name) !== stream.name)
      throw new Rejection(
        'invalid_line',
        `type must be "RECORD" and stream must be "${stream.name}", if given.`,
      )
    const op = line.op ?? 'upsert'
    if (op !== 'upsert' && op !== 'delete')
      throw new Rejection('invalid_line', 'op must be "upsert" or "delete".')
    const emitted_at = emittedAt(line.emitted_at)
    const place = line.place ?? null
    if (place !== null && !(typeof place === 'string' && place.length <= MOST_PLACE_CHARS))
      throw new Rejection('invalid_line', `place must be a text of at most ${MOST_PLACE_CHARS} characters.`)
    const data = line.data
    if (op === 'delete') {
      return {
        op,
        record_id: recordId(stream, line.key, isObject(data) ? data : {}, true),
        emitted_at,
        cleaned,
      }
    }
    if (!isObject(data)) throw new Rejection('invalid_line', 'data must be a JSON object.')
    const problem = problemOf(plainNumbers(data))
    if (problem) throw new Rejection('schema_mismatch', problem)
    if (text.includes('"blob_id"')) assertBlobReferences(data)
    const found = cut.length === 0 ? NOTHING_CUT : putAway(data, cut)
    const record_id = recordId(stream, line.key, data)
    const taken = takeBase64(data, text)
    if (text.length > MOST_RECORD_CHARS) assertFits(taken.data)
    return {
      op,
      record_id,
      place,
      emitted_at,
      texts: found.texts,
      ...taken,
      sort_key: stream.cursor_field === undefined ? null : sortKey(data[stream.cursor_field], cursorFormat),
      time_key: timeField === undefined ? null : timeKey(data[timeField]),
      conversation: conversationPlace(stream, data, record_id),
      line_chars: text.length + found.line_chars,
      cleaned: cleaned + found.cleaned,
    }
  }
}

const NOTHING_CUT = { texts: [], cleaned: 0, line_chars: 0 }

/** Replaces the marks in the data. A mark that is missing was overwritten by a later member with the same name. */
function putAway(
  data: JsonObject,
  cut: readonly CutText[],
): { texts: TakenText[]; cleaned: number; line_chars: number } {
  const found = { texts: [] as TakenText[], cleaned: 0, line_chars: 0 }
  const marks = new Map(cut.map(each => [each.mark, each]))
  const look = (values: JsonObject, around: readonly string[]) => {
    for (const [key, value] of Object.entries(values)) {
      const path = [...around, key]
      if (typeof value === 'object' && value !== null && !isRawNumber(value)) look(value as JsonObject, path)
      const taken = typeof value === 'string' ? marks.get(value) : undefined
      if (!taken) continue
      const { pieces, size_chars, digest } = taken
      define(values, key, '')
      found.texts.push({ path, pieces, size_chars, digest })
      found.cleaned += taken.cleaned
      found.line_chars += taken.line_chars
    }
  }
  look(data, [])
  return found
}

function assertFits(data: JsonObject): void {
  const sizes = Object.entries(data).map(([field, value]) => ({ field, chars: charsBesideTexts(value) }))
  const chars = sizes.reduce((sum, size) => sum + size.chars, 0)
  if (chars <= MOST_RECORD_CHARS) return
  const largest = sizes.reduce((one, other) => (other.chars > one.chars ? other : one))
  const [is, most] = [chars, MOST_RECORD_CHARS].map(n => n.toLocaleString('en'))
  throw new Rejection(
    'record_too_large',
    `data has ${is} characters of JSON besides texts of more than ${LONG_TEXT_CHARS.toLocaleString('en')} characters; at most ${most} are allowed. Most are in ${JSON.stringify(largest.field.slice(0, 100))}: send its JSON as a text, which may have any length, or divide it into records of their own.`,
  )
}

function charsBesideTexts(value: Json): number {
  const json = JSON.stringify(value, (_, inner) =>
    typeof inner === 'string' && isLongText(inner) ? '' : inner,
  )
  return json.length
}

function assertBlobReferences(data: JsonObject): void {
  const bad = badMediaType(data)
  if (bad !== undefined)
    throw new Rejection(
      'invalid_blob_reference',
      `${JSON.stringify(bad)} is not a media type such as image/png.`,
    )
}

function parseLine(text: string): { line: JsonObject; cleaned: number } {
  let parsed: Json
  try {
    parsed = parseJson(text)
  } catch (error) {
    throw new Rejection('invalid_json', (error as Error).message.slice(0, 200))
  }
  if (isTooDeep(parsed)) throw new Rejection('invalid_line', 'The line is nested too deeply.')
  const { value, replaced } = mayNeedCleaning(text) ? cleanText(parsed) : { value: parsed, replaced: 0 }
  if (!isObject(value)) throw new Rejection('invalid_line', 'A line must be a JSON object with data.')
  return { line: value, cleaned: replaced }
}

function emittedAt(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null
  const key = typeof value === 'string' ? instantKey(value) : null
  if (key === null) throw new Rejection('invalid_line', 'emitted_at must be an RFC 3339 date-time.')
  return instantText(key)
}

function recordId(
  stream: StreamDeclaration,
  key: Json | undefined,
  data: JsonObject,
  isDelete = false,
): string {
  const fromData = recordIdOf(stream.primary_key.map(field => own(data, field)))
  const parts = Array.isArray(key) ? key : [key]
  const fromKey = key === undefined || key === null ? null : recordIdOf(parts)
  const fits = !Array.isArray(key) || key.length === stream.primary_key.length
  if (key !== undefined && key !== null && (fromKey === null || !fits)) {
    throw new Rejection(
      'invalid_key',
      'key must be a string, or a list with a string for each field of the primary key.',
    )
  }
  if (fromKey !== null && fromKey !== fromData && !(isDelete && fromData === null)) {
    throw new Rejection(
      'key_mismatch',
      `key and the primary key in data (${stream.primary_key.join(', ')}) differ.`,
    )
  }
  const id = fromKey ?? fromData
  if (id === null) {
    throw new Rejection(
      'missing_key',
      `Give key, or the primary key in data (${stream.primary_key.join(', ')}).`,
    )
  }
  if (!isRecordId(id))
    throw new Rejection(
      'invalid_key',
      `A record id must have 1 to ${RECORD_ID_CHARS} characters and must not be . or ...`,
    )
  return id
}

/** What a schema can require of a value without looking into its texts. */
const SHALLOW =
  /^(?:type|required|title|description|\$comment|\$schema|\$id|deprecated|contentMediaType|x_.*)$/

/**
 * The fields whose texts, at any depth, can be taken out of a line before the whole line has arrived: the schema only
 * requires that each is a text, and none of them determines the id or the place of a record.
 */
export function cutFields(stream: StreamDeclaration): ReadonlySet<string> {
  const { schema, primary_key, cursor_field } = stream
  const { properties, ...around } = schema
  if (!isShallow(around)) return new Set()
  const conversation = conversationOf(stream)
  const deciding = new Set([
    ...primary_key,
    cursor_field,
    timeField(stream),
    ...(conversation ? conversationFields(conversation) : []),
  ])
  return new Set(
    Object.entries(properties)
      .filter(([field, property]) => !deciding.has(field) && isShallow(property as Json))
      .map(([field]) => field),
  )
}

/** Whether the schema accepts texts with any content. */
function isShallow(schema: Json): boolean {
  if (typeof schema === 'boolean') return true
  if (!isObject(schema)) return false
  return Object.entries(schema).every(([keyword, value]) => {
    if (keyword === 'items' || keyword === 'additionalProperties') return isShallow(value)
    if (keyword === 'properties') return isObject(value) && Object.values(value).every(isShallow)
    return SHALLOW.test(keyword)
  })
}
