import { grantsField } from '../../model/access/enforce.ts'
import { propertyOf } from '../../model/declaration/declaration.ts'
import { type FieldPath, parseFieldPath, pointer, valueAt } from '../../model/declaration/field-path.ts'
import { CodedError } from '../../model/errors.ts'
import { isObject } from '../../model/json.ts'
import { digestOf } from '../../model/reading/long-text.ts'
import { type Projection, project } from '../../model/reading/record.ts'
import {
  DEFAULT_LIMIT_CHARS,
  parseSelector,
  type Range,
  rangeAround,
  rangeFrom,
  rangeUpTo,
  type Selector,
} from '../../model/reading/window.ts'
import { countCodePoints, sliceCodePoints } from '../../model/text/code-points.ts'
import { compileLiteral, type Literal } from '../../model/text/literal.ts'
import { findInText, readRange } from '../../store/records/long-text.ts'
import type { RequestContext } from '../request/context.ts'
import { etagOf, holds, notModified, type Reply, tagged } from '../request/responses.ts'
import { findOne, retried } from './find-record.ts'

/** A text value that windows can be cut from without having it all in memory. */
interface WindowedText {
  size_chars: number
  digest: string
  read(range: Range): Promise<string>
  find(literal: Literal): Promise<Range | null>
}

export async function fieldWindow(context: RequestContext): Promise<Reply> {
  const { parameters } = context
  const path = parseFieldPath(parameters.required('field'))
  const selector = parseSelector({
    cursor: parameters.text('cursor'),
    offset_chars: parameters.integer('offset_chars'),
    limit_chars: parameters.integer('limit_chars'),
    q: parameters.text('q'),
    before_chars: parameters.integer('before_chars'),
    after_chars: parameters.integer('after_chars'),
  })
  const literal = selector.by === 'match' ? compileLiteral(selector.q) : null
  return retried(() => readWindow(context, path, selector, literal))
}

async function readWindow(
  context: RequestContext,
  path: FieldPath,
  selector: Selector,
  literal: Literal | null,
): Promise<Reply> {
  const sources = context.sources()
  assertGranted(
    context,
    sources.some(source => grantsField(source, path.field)),
    path,
  )
  const { source, record, visible } = await findOne(context, sources)
  assertGranted(context, visible === null || visible.has(path.field), path)
  const projection = project(source, record, visible)
  const text = textAt(context, projection, path)
  const names = {
    connection_id: source.connection_id,
    stream: source.stream.name,
    record_id: record.record_id,
    field_path: path.text,
  }
  const binding = JSON.stringify([context.accessName, ...Object.values(names)])
  const { range, limit, match } = await locate(context, selector, literal, text, binding, names)
  const cursorAt = (direction: 'forward' | 'backward', position: number) =>
    context.env.cursors.sealWindow({ direction, position, limit, digest: text.digest }, binding, context.now)
  const etag = etagOf(
    text.digest,
    String(range.start),
    String(range.end),
    String(limit),
    JSON.stringify(match),
  )
  if (holds(context.request, etag)) return notModified(etag)
  const shown = await text.read(range)
  context.disclose([
    {
      connection_id: names.connection_id,
      stream: names.stream,
      record_ids: [names.record_id],
      fields: [path.field],
      ranges: { [path.text]: [[range.start, range.end]] },
    },
  ])
  const body = {
    object: 'field_window',
    connection_id: names.connection_id,
    stream: names.stream,
    record_id: names.record_id,
    field: {
      path: path.text,
      text_like: true,
      mime_type:
        path.rest.length === 0
          ? (propertyOf(source.stream, path.field)?.contentMediaType ?? 'text/plain')
          : 'text/plain',
      size_chars: text.size_chars,
      digest: text.digest,
    },
    window: {
      start_chars: range.start,
      end_chars: range.end,
      limit_chars: limit,
      complete: range.start === 0 && range.end === text.size_chars,
      next_cursor: range.end < text.size_chars ? cursorAt('forward', range.end) : null,
      previous_cursor: range.start > 0 ? cursorAt('backward', range.start) : null,
      match,
      text: shown,
    },
  }
  return tagged(body, etag)
}

function assertGranted(context: RequestContext, granted: boolean, path: FieldPath): void {
  if (granted || context.isOwner) return
  throw new CodedError('field_not_granted', `The grant does not open a field ${path.field}.`, {
    param: 'field',
  })
}

interface Located {
  range: Range
  limit: number
  match: { q: string; start_chars: number; end_chars: number } | null
}

async function locate(
  context: RequestContext,
  selector: Selector,
  literal: Literal | null,
  text: WindowedText,
  binding: string,
  names: Record<string, string>,
): Promise<Located> {
  if (selector.by === 'offset') {
    return {
      range: rangeFrom(selector.offset, selector.limit, text.size_chars),
      limit: selector.limit,
      match: null,
    }
  }
  if (selector.by === 'cursor') {
    const at = context.env.cursors.openWindow(selector.cursor, binding, text.digest, context.now, names)
    const limit = selector.limit ?? at.limit
    const range = at.direction === 'forward' ? rangeFrom : rangeUpTo
    return { range: range(at.position, limit, text.size_chars), limit, match: null }
  }
  const match = literal && (await text.find(literal))
  if (!match) {
    throw new CodedError(
      'query_not_found',
      'The text does not contain q. Try a shorter or other q, or read by offset.',
      {
        ...names,
        param: 'q',
      },
    )
  }
  const range = rangeAround(match, selector.before, selector.after, text.size_chars)
  return {
    range,
    limit: selector.before + selector.after || DEFAULT_LIMIT_CHARS,
    match: { q: selector.q, start_chars: match.start, end_chars: match.end },
  }
}

/** The text at a path of the visible data; what is no text is refused with what to do instead (RF-10). */
function textAt(context: RequestContext, projection: Projection, path: FieldPath): WindowedText {
  const { database } = context.store
  const long = projection.long_texts.find(
    candidate => pointer(candidate.path) === pointer([path.field, ...path.rest]),
  )
  if (long) {
    return {
      size_chars: long.size_chars,
      digest: long.digest,
      read: range => readRange(database, context.owner_id, long.text_no, range),
      find: literal => findInText(database, context.owner_id, long.text_no, long.size_chars, literal),
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
      ? ` Its bytes are at /v1/blobs/${value.blob_id}.`
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
