import { createHash, hash } from 'node:crypto'
import type { Source } from '../access/enforce.ts'
import {
  fieldsWithRole,
  fieldWithRole,
  type Role,
  readingOrder,
  type StreamDeclaration,
} from '../declaration/declaration.ts'
import { pathOf } from '../declaration/field-path.ts'
import { define, isObject, type Json, type JsonObject, own, parseJson } from '../json.ts'
import { countCodePoints, hasAtMost, sliceCodePoints } from '../text/code-points.ts'
import { isLongText, LONG_TEXT_CHARS, piecesOf, type TakenText } from '../text/pieces.ts'
import { type History, lastChange } from './record-history.ts'

/** A string that is stored in pieces; the record's data has an empty string instead. */
export interface LongText {
  path: string[]
  text_no: number
  size_chars: number
  digest: string
}

/** A record as the store returns it; `data` is JSON text with long texts taken out. */
export interface StoredRecord {
  connection_id: string
  record_id: string
  seq: number
  version: number
  deleted: boolean
  sort_key: string | null
  time_key: string | null
  emitted_at: string
  data: string
  long_texts: LongText[]
  history: History | null
}

/** The part of a stored record that its projection is computed from. */
export type Projectable = Pick<
  StoredRecord,
  'record_id' | 'seq' | 'emitted_at' | 'data' | 'long_texts' | 'history'
>

/** The data of a record that may be seen. */
export interface VisibleData {
  data: JsonObject
  long_texts: LongText[]
}

/** The part of a record that may be seen. Everything visible is computed only from this. */
export interface Projection extends VisibleData {
  source: Source
  record_id: string
  emitted_at: string
}

/**
 * Reduces a record to the fields that may be seen and, among these, those that were requested. What people read first
 * comes first, so that it survives where there is room for only a part.
 */
export function project(
  source: Source,
  record: Projectable,
  visible: ReadonlySet<string> | null,
  asked: ReadonlySet<string> | null = null,
): Projection {
  const { data, long_texts } = visibleData(source, record, visible, asked)
  const emitted_at = lastChange(source, record, visible)[1]
  return { source, record_id: record.record_id, data, long_texts, emitted_at }
}

/** The fields of a record that may be seen, without when they changed, for those who do not show that. */
export function visibleData(
  source: Source,
  record: Pick<Projectable, 'data' | 'long_texts'>,
  visible: ReadonlySet<string> | null,
  asked: ReadonlySet<string> | null = null,
): VisibleData {
  const parsed = parseJson(record.data)
  const all = isObject(parsed) ? parsed : {}
  const data = pick(
    all,
    readingOrder(source.stream),
    field => (visible === null || visible.has(field)) && (asked === null || asked.has(field)),
  )
  const long_texts = record.long_texts.filter(long => Object.hasOwn(data, long.path[0] ?? ''))
  return { data, long_texts }
}

/** Data with the fields at the front that people read first. */
export function inReadingOrder(stream: StreamDeclaration, data: JsonObject): JsonObject {
  return pick(data, readingOrder(stream), () => true)
}

function pick(data: JsonObject, first: ReadonlySet<string>, keep: (field: string) => boolean): JsonObject {
  const kept: JsonObject = {}
  for (const field of first)
    if (Object.hasOwn(data, field) && keep(field)) define(kept, field, data[field] as Json)
  for (const field of Object.keys(data))
    if (!first.has(field) && keep(field)) define(kept, field, data[field] as Json)
  return kept
}

export const TITLE_CHARS = 200
const FIRST_WORDS_CHARS = 80
/** How many characters at the start of a text are enough for its first words. */
export const FIRST_WORDS_FROM = 160

/** The visible field that heads a record: its title or, if that is empty, its text. */
export function headField(
  stream: StreamDeclaration,
  data: JsonObject,
  long_texts: readonly LongText[] = [],
): string | undefined {
  return filledField(stream, ['primary-title', 'primary-text'], data, long_texts)
}

/** The field that contains the record's text or, if it has none, its title; undefined if neither can be seen. */
export function bodyField(
  stream: StreamDeclaration,
  data: JsonObject,
  long_texts: readonly LongText[],
): string | undefined {
  return filledField(stream, ['primary-text', 'primary-title'], data, long_texts)
}

function filledField(
  stream: StreamDeclaration,
  roles: readonly Role[],
  data: JsonObject,
  long_texts: readonly LongText[],
): string | undefined {
  return roles
    .map(role => fieldWithRole(stream, role))
    .find(field => shortText(data, field) !== '' || longTextOf(long_texts, field))
}

/** The long text that is the value of a field. */
export function longTextOf(long_texts: readonly LongText[], field: string | undefined): LongText | undefined {
  return long_texts.find(({ path }) => path.length === 1 && path[0] === field)
}

/** The text that is the value of a field and not long; empty if there is none. */
export function shortText(data: JsonObject, field: string | undefined): string {
  const value = field === undefined ? undefined : own(data, field)
  return typeof value === 'string' ? value : ''
}

/** How many characters the text of a field has. */
export function textSize({ data, long_texts }: VisibleData, field: string | undefined): number {
  return longTextOf(long_texts, field)?.size_chars ?? countCodePoints(shortText(data, field))
}

/** The record's title or, without one, its first words; null if neither can be seen. */
export function titleOf(stream: StreamDeclaration, data: JsonObject, mostChars = TITLE_CHARS): string | null {
  const field = headField(stream, data)
  const value = field === undefined ? undefined : data[field]
  if (field === undefined || typeof value !== 'string') return null
  return isTitle(stream, field) ? cutText(value, mostChars) : firstWords(value)
}

export function isTitle(stream: StreamDeclaration, field: string): boolean {
  return field === fieldWithRole(stream, 'primary-title')
}

/** The first words of a text on one line; null if it has none. */
export function firstWords(text: string): string | null {
  const start = sliceCodePoints(text, 0, FIRST_WORDS_FROM)
  const line = start.replace(/\s+/g, ' ').trim()
  return line === '' ? null : cutText(start.length < text.length ? `${line}…` : line, FIRST_WORDS_CHARS)
}

/** Shortens a text to this many characters; a shortened text ends with an ellipsis. */
export function cutText(text: string, mostChars: number): string {
  return hasAtMost(text, mostChars) ? text : `${sliceCodePoints(text, 0, mostChars - 1)}…`
}

const AUTHOR_CHARS = 80

/** The person who wrote or sent the record, from the first visible field with the role `actor` that contains a name. */
export function authorOf(
  stream: StreamDeclaration,
  data: JsonObject,
): { field: string; name: string } | null {
  for (const field of fieldsWithRole(stream, ['actor'])) {
    const name = nameIn(data[field])
    if (name !== null) return { field, name: cutText(name, AUTHOR_CHARS) }
  }
  return null
}

/** A person is a text, the first item of a list, or an object with a name or an address. */
function nameIn(value: Json | undefined): string | null {
  if (typeof value === 'string') return value === '' ? null : value
  if (Array.isArray(value)) return value.length === 0 ? null : nameIn(value[0])
  if (!isObject(value)) return null
  for (const key of ['name', 'address', 'email']) {
    const found = value[key]
    if (typeof found === 'string' && found !== '') return found
  }
  return null
}

export function longPath(long: LongText): string {
  return pathOf(long.path[0] ?? '', long.path.slice(1)).text
}

/** Takes every long string out of the data, at any depth, and leaves an empty string in its place. */
export function takeLongTexts(data: JsonObject): { data: JsonObject; texts: TakenText[] } {
  const texts: TakenText[] = []
  const take = (value: Json, path: string[]): Json => {
    if (typeof value === 'string') {
      if (!isLongText(value)) return value
      texts.push({ path, pieces: { [Symbol.iterator]: () => piecesOf(value) }, ...measure(value) })
      return ''
    }
    if (Array.isArray(value)) return value.map((item, index) => take(item, [...path, String(index)]))
    if (!isObject(value)) return value
    const copy: JsonObject = {}
    for (const [key, child] of Object.entries(value)) define(copy, key, take(child, [...path, key]))
    return copy
  }
  return { data: take(data, []) as JsonObject, texts }
}

/** Puts a text back where a long one was taken out. */
export function putAt(data: JsonObject, path: readonly string[], text: string): void {
  let parent: Json = data
  for (const segment of path.slice(0, -1)) parent = (parent as JsonObject)[segment] as Json
  const last = path.at(-1) ?? ''
  if (Array.isArray(parent)) parent[Number(last)] = text
  else define(parent as JsonObject, last, text)
}

/** Whether a JSON text of this length can contain a long string at all. */
export function mayHoldLongText(length: number): boolean {
  return length > LONG_TEXT_CHARS
}

function measure(text: string): { size_chars: number; digest: string } {
  const content = createHash('sha256')
  let size_chars = 0
  for (const piece of piecesOf(text)) {
    content.update(piece)
    size_chars += countCodePoints(piece)
  }
  return { size_chars, digest: `sha256:${content.digest('hex')}` }
}

export function digestOf(text: string): string {
  return `sha256:${hash('sha256', text)}`
}
