import { readBlob } from '../../api/blobs.ts'
import * as api from '../../api/records.ts'
import { addressOf, type ReplyOf } from '../../api/route.ts'
import { grantsField, type Source } from '../../model/access/enforce.ts'
import type { Shown } from '../../model/access/shown.ts'
import { propertyOf, type StreamDeclaration } from '../../model/declaration/declaration.ts'
import { type FieldPath, parseFieldPath, pointer, valueAt } from '../../model/declaration/field-path.ts'
import { CodedError } from '../../model/errors.ts'
import { citationUrl } from '../../model/ids/citation.ts'
import { isObject } from '../../model/json.ts'
import { fieldNotGranted } from '../../model/reading/filter.ts'
import { digestOf, putAt, type VisibleData, visibleData } from '../../model/reading/record.ts'
import {
  DEFAULT_LIMIT_CHARS,
  type PageSpan,
  pagesOf,
  parseSelector,
  type Range,
  rangeAround,
  rangeFrom,
  rangeUpTo,
  type Selector,
} from '../../model/reading/window.ts'
import { countCodePoints, sliceCodePoints } from '../../model/text/code-points.ts'
import { compileLiteral, type Literal } from '../../model/text/literal.ts'
import { sentenceAround } from '../../model/text/sentence.ts'
import { findInText, readRange } from '../../store/records/long-text.ts'
import { type RequestContext, serve } from '../request/context.ts'
import { holds, notModified, tagged } from '../request/responses.ts'
import { readFrom } from './read-record.ts'

type Window = ReplyOf<typeof api.fieldWindow>['window']

export const fieldWindow = serve(api.fieldWindow, async context => {
  const { field, connection_id, ...selection } = context.parameters
  const path = parseFieldPath(field)
  const find = finder(parseSelector(selection))
  const sources = context.sources(context.path.stream, connection_id)
  const open = sources.some(source => grantsField(source, path.field))
  assertGranted(context, open, path, sources)
  return readFrom(context, sources, context.path.record_id, async ({ source, record, visible }) => {
    context.decideBy(source, [path.field], [record.record_id])
    assertGranted(context, visible === null || visible.has(path.field), path)
    const seen = visibleData(source, record, visible)
    const text = await textAt(context, seen, path)
    const { connection_id, stream } = source
    const { record_id } = record
    const place = { connection_id, stream: stream.name, record_id, field_path: path.text }
    const cursors = windowCursors(context, place, text.digest)
    const found = await find(text, cursors, place)
    const { range, limit, match } = found
    const matched = match ? { start: match.start_chars, end: match.end_chars } : range
    const pages = pagesOf(stream, seen.data, path, matched)
    const { field_path, ...shown } = place
    const fields = pages ? [path.field, pages.field] : [path.field]
    const ranges: Shown['ranges'] = { [field_path]: [[range.start, range.end]] }
    context.disclose([{ connection_id, stream: stream.name, record_ids: [record_id], fields, ranges }])
    const etag = context.etag(text.digest, JSON.stringify([range, limit, match, pages]))
    if (holds(context.request, etag)) return notModified(etag)
    const window = { ...(await cut(text, found, cursors)), ...(pages ? { pages: pagesShown(pages) } : {}) }
    const { size_chars, digest } = text
    const facts = {
      path: field_path,
      text_like: true,
      mime_type: text.isJson ? 'application/json' : mimeType(stream, path),
      size_chars,
      digest,
    } as const
    const url = citationUrl(context.env.publicUrl, place, { field_path, ...cited(window), digest })
    return tagged({ object: 'field_window', ...shown, url, field: facts, window }, etag)
  })
})

function pagesShown({ field, ...pages }: PageSpan): NonNullable<Window['pages']> {
  return pages
}

/** What a link to a window marks: the sentence that was searched for, or the whole window. */
function cited({ match, text, start_chars, end_chars }: Window): { start_chars: number; end_chars: number } {
  if (!match) return { start_chars, end_chars }
  const inside = { start: match.start_chars - start_chars, end: match.end_chars - start_chars }
  const { start, end } = sentenceAround(text, inside)
  return { start_chars: start_chars + start, end_chars: start_chars + end }
}

/** The refusal names what the sources open instead. */
function assertGranted(
  context: RequestContext,
  granted: boolean,
  path: FieldPath,
  sources: readonly Source[] = [],
): void {
  if (!granted && !context.isOwner) throw fieldNotGranted(path.field, sources, 'field')
}

function mimeType(stream: StreamDeclaration, { field, rest }: FieldPath): string {
  const declared = rest.length === 0 ? propertyOf(stream, field)?.contentMediaType : undefined
  return declared ?? 'text/plain'
}

/** The cursors of windows of one text. They are bound to the record and the field, and detect a changed text. */
function windowCursors({ env, accessName, now }: RequestContext, place: Place, digest: string) {
  const binding = JSON.stringify([accessName, ...Object.values(place)])
  return {
    open: (cursor: string) => env.cursors.openWindow(cursor, binding, digest, now, place),
    seal: (direction: 'forward' | 'backward', position: number, limit: number) =>
      env.cursors.sealWindow({ direction, position, limit, digest }, binding, now),
  }
}

type Place = Record<'connection_id' | 'stream' | 'record_id' | 'field_path', string>
type WindowCursors = ReturnType<typeof windowCursors>

interface Located {
  range: Range
  limit: number
  match: Window['match']
}

/** Finds the window that a selector asks for in a text. */
function finder(
  selector: Selector,
): (text: WindowedText, cursors: WindowCursors, place: Place) => Promise<Located> {
  if (selector.by === 'offset') {
    const { offset, limit } = selector
    return async ({ size_chars }) => ({ range: rangeFrom(offset, limit, size_chars), limit, match: null })
  }
  if (selector.by === 'cursor') {
    return async ({ size_chars }, cursors) => {
      const at = cursors.open(selector.cursor)
      const limit = selector.limit ?? at.limit
      const range = at.direction === 'forward' ? rangeFrom : rangeUpTo
      return { range: range(at.position, limit, size_chars), limit, match: null }
    }
  }
  const { q, before, after } = selector
  const literal = compileLiteral(q)
  return async (text, _, place) => {
    const match = await text.find(literal)
    if (!match) {
      const message = 'The text does not contain q. Try a shorter or other q, or read by offset.'
      throw new CodedError('query_not_found', message, { ...place, param: 'q' })
    }
    return {
      range: rangeAround(match, before, after, text.size_chars),
      limit: before + after || DEFAULT_LIMIT_CHARS,
      match: { q, start_chars: match.start, end_chars: match.end },
    }
  }
}

async function cut(
  text: WindowedText,
  { range, limit, match }: Located,
  cursors: WindowCursors,
): Promise<Window> {
  const { start, end } = range
  return {
    start_chars: start,
    end_chars: end,
    limit_chars: limit,
    complete: start === 0 && end === text.size_chars,
    next_cursor: end < text.size_chars ? cursors.seal('forward', end, limit) : null,
    previous_cursor: start > 0 ? cursors.seal('backward', start, limit) : null,
    match,
    text: await text.read(range),
  }
}

/** A text that windows can be cut from: a text value, which need not all be in memory, or a list or object as JSON. */
interface WindowedText {
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
async function textAt(context: RequestContext, seen: VisibleData, path: FieldPath): Promise<WindowedText> {
  const { database } = context.store
  const long = seen.long_texts.find(
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
  const value = valueAt(seen.data, path)
  if (value === undefined)
    throw new CodedError('field_not_found', `The record has no value at ${path.text}.`, { param: 'field' })
  if (typeof value === 'string') return inMemory(value, false)
  const isBlob = isObject(value) && typeof value.blob_id === 'string'
  if (isBlob || !(Array.isArray(value) || isObject(value))) throw notText(value, path)
  await completeTexts(context, seen, path)
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
async function completeTexts(context: RequestContext, seen: VisibleData, path: FieldPath): Promise<void> {
  const inside = `${pointer([path.field, ...path.rest])}/`
  const texts = seen.long_texts.filter(({ path }) => pointer(path).startsWith(inside))
  if (texts.reduce((sum, { size_chars }) => sum + size_chars, 0) > MOST_NESTED_CHARS) {
    const [first] = texts
    const named = first ? ` such as ${pointer(first.path)}` : ''
    const message = `The value at ${path.text} is too large to be read as JSON. Read the texts inside it by JSON Pointers${named}.`
    throw new CodedError('field_not_text', message, { param: 'field' })
  }
  for (const { path, text_no, size_chars } of texts) {
    const range = { start: 0, end: size_chars }
    putAt(seen.data, path, await readRange(context.store.database, context.owner_id, text_no, range))
  }
}

function notText(value: unknown, path: FieldPath): CodedError {
  const kind =
    value === null ? 'null' : Array.isArray(value) ? 'array' : isObject(value) ? 'object' : typeof value
  const blob =
    isObject(value) && typeof value.blob_id === 'string'
      ? ` Its bytes are at ${addressOf(readBlob, { blob_id: value.blob_id })}.`
      : ''
  const message = `The value at ${path.text} is ${kind}, not text. Read the record to see it.${blob}`
  return new CodedError('field_not_text', message, { param: 'field', json_type: kind })
}
