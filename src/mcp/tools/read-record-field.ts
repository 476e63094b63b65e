import { fieldWindow } from '../../api/records.ts'
import { parseFieldPath } from '../../model/declaration/field-path.ts'
import { CodedError } from '../../model/errors.ts'
import { namedBy } from '../../model/ids/citation.ts'
import { nameable, type RecordReference } from '../../model/ids/handle.ts'
import type { JsonObject } from '../../model/json.ts'
import {
  DEFAULT_AROUND_CHARS,
  DEFAULT_LIMIT_CHARS,
  parseSelector,
  type SelectorInput,
} from '../../model/reading/window.ts'
import { number, text } from '../arguments.ts'
import { listedAs } from '../listed-schema.ts'
import type { ResourceServerClient } from '../reading/resource-server-client.ts'
import { readWindow } from '../reading/window.ts'
import type { FieldWindow } from '../reading/window-shape.ts'
import { windowMeta } from '../rendering/neighbour-windows.ts'
import { each, exactly, FLAG, INTEGER, named, RANGE, TEXT, TEXT_OR_NULL, unlisted } from '../schemas.ts'
import { DATA_NOTE, windowText } from '../text/quote.ts'
import { handleOf } from '../text/record-handle.ts'
import type { Tool, ToolAnswer } from '../tool.ts'

const { offset_chars, limit_chars, before_chars, after_chars } = fieldWindow.parameters

export const readRecordField: Tool = {
  name: 'read_record_field',
  title: 'Read a text field',
  description:
    'Read the text of a long e-mail, message or document in windows; lists and objects as JSON. Name the record by id (or connection_id+stream+record_id), then select: nothing (the start), offset_chars+limit_chars, q (a literal, with before_chars/after_chars), or a cursor. Follow next_cursor until it is null.',
  hint: 'read on in a long mail, message or document; quote',
  input: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'as search showed it' },
      connection_id: TEXT,
      stream: TEXT,
      record_id: TEXT,
      field_path: { type: 'string', description: 'field name, or /a/0/b for a nested text' },
      cursor: TEXT,
      offset_chars: offset_chars.schema,
      limit_chars: { ...limit_chars.schema, description: `default ${DEFAULT_LIMIT_CHARS}` },
      q: TEXT,
      before_chars: { ...before_chars.schema, description: `default ${DEFAULT_AROUND_CHARS}` },
      after_chars: after_chars.schema,
    },
    required: ['field_path'],
    additionalProperties: false,
  },
  output: exactly(
    {
      record: exactly({ id: TEXT, ...each(named(TEXT), 'connection_id', 'stream', 'record_id') }, [
        'id',
        'connection_id',
        'stream',
        'record_id',
      ]),
      field: exactly(
        { ...each(named(TEXT), 'path', 'mime_type', 'digest'), text_like: named(FLAG), size_chars: INTEGER },
        ['path', 'text_like'],
      ),
      window: exactly(
        {
          text: TEXT,
          ...each(INTEGER, 'start_chars', 'end_chars', 'limit_chars'),
          complete: FLAG,
          ...each(TEXT_OR_NULL, 'next_cursor', 'previous_cursor'),
          match: listedAs(
            { ...exactly({ q: TEXT, ...RANGE }), type: ['object', 'null'] },
            { properties: each({}, 'start_chars', 'end_chars') },
          ),
        },
        ['text', 'start_chars', 'end_chars', 'limit_chars', 'complete'],
      ),
      // The URIs of the windows beside it are for hosts: in _meta.
      resource: exactly({ uri: TEXT, ...each(unlisted(TEXT_OR_NULL), 'next_uri', 'previous_uri') }),
    },
    ['record', 'field', 'window'],
  ),
  aliases: {
    field: 'field_path',
    ...{ offset: 'offset_chars', start: 'offset_chars', start_chars: 'offset_chars' },
    ...{ limit: 'limit_chars', length: 'limit_chars', max_chars: 'limit_chars' },
    ...{ query: 'q', find: 'q' },
  },
  run: readField,
}

async function readField(args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer> {
  const record = namedRecord(args, client.provider.url)
  const { text: field_path } = parseFieldPath(text(args, 'field_path') ?? '')
  const selector = selectorOf(args)
  parseSelector(selector)
  return answer(await readWindow(client, record, field_path, selector), selector)
}

/** By id or link, or by the three parts of an id (RF-1). */
function namedRecord(args: JsonObject, origin: string): RecordReference {
  const id = text(args, 'id')
  const [connection_id, stream, record_id] = ['connection_id', 'stream', 'record_id'].map(name =>
    text(args, name),
  )
  if (id === undefined) {
    if (connection_id !== undefined && stream !== undefined && record_id !== undefined) {
      return nameable({ connection_id, stream, record_id })
    }
    throw refused('Name the record: by id, or by connection_id, stream and record_id together.', 'id')
  }
  if (connection_id !== undefined && stream !== undefined && record_id !== undefined) {
    throw refused('Name the record once: by id, or by connection_id, stream and record_id.', 'id')
  }
  const reference = namedBy(id, connection_id, origin)
  if (stream !== undefined && stream !== reference.stream)
    throw refused('The id belongs to another stream.', 'stream')
  if (record_id !== undefined && record_id !== reference.record_id) {
    throw refused('The id belongs to another record.', 'record_id')
  }
  return reference
}

/** A limit beside q is divided between both sides of the match; what is asked for on a side wins. */
function selectorOf(args: JsonObject): SelectorInput {
  const asked = {
    cursor: text(args, 'cursor'),
    offset_chars: number(args, 'offset_chars'),
    limit_chars: number(args, 'limit_chars'),
    q: text(args, 'q'),
    before_chars: number(args, 'before_chars'),
    after_chars: number(args, 'after_chars'),
  }
  const { cursor, offset_chars, limit_chars, q, before_chars, after_chars } = asked
  const isAroundMatch = q !== undefined && cursor === undefined && offset_chars === undefined
  if (!isAroundMatch || limit_chars === undefined) return asked
  const half = Math.floor(limit_chars / 2)
  return { q, before_chars: before_chars ?? half, after_chars: after_chars ?? limit_chars - half }
}

function answer(read: FieldWindow, selector: SelectorInput): ToolAnswer {
  const { record, field, window, url } = read
  const handle = handleOf(record)
  const { id } = handle
  const { text: shown, pages, ...facts } = window
  const header: JsonObject = {
    ...handle,
    field_path: field.path,
    start_chars: facts.start_chars,
    end_chars: facts.end_chars,
    ...(field.size_chars === undefined ? {} : { size_chars: field.size_chars }),
    ...(pages === undefined ? {} : { pages }),
    complete: facts.complete,
    next_cursor: facts.next_cursor,
    previous_cursor: facts.previous_cursor,
    ...(facts.complete ? {} : { go_on: 'read_record_field(id, field_path, cursor)' }),
    note: DATA_NOTE,
  }
  return {
    text: windowText(header, shown, url),
    structured: {
      record: {
        id,
        connection_id: record.connection_id ?? '',
        stream: record.stream,
        record_id: record.record_id,
      },
      // Before the field's facts: a client that sees the first 1,000 characters sees 500 of the text (BU-5, CL-5).
      window: { ...facts, text: shown },
      field: { ...field },
      resource: { uri: url },
    },
    meta: { 'footnote/window': windowMeta(read, selector) },
  }
}

function refused(message: string, param: string): CodedError {
  return new CodedError('invalid_request', message, { param })
}
