import { MAX_AROUND_CHARS, MAX_LIMIT_CHARS, MAX_QUERY_CHARS, PAGE_UNITS } from '../model/reading/window.ts'
import { LONG_TEXT_CHARS } from '../model/text/pieces.ts'
import { list, NARROWING, NARROWING_NAMES, PAGE, SOURCES, WARNINGS } from './list.ts'
import * as p from './parameter.ts'
import { ownerRoute, readRoute } from './route.ts'
import type { Typed } from './schema.ts'
import * as s from './schema.ts'

const RECORD_PATH = '/v1/streams/:stream/records/:record_id'
const MOST_CHARS_OF_ONE = 1_000_000

export const ORDERS = ['asc', 'desc'] as const

const TRUNCATED_FIELD = s.object(
  { ...s.each(s.TEXT, 'field_path', 'digest'), ...s.each(s.COUNT, 'size_chars', 'returned_chars') },
  { mime_type: s.TEXT },
)
const NAMES = { object: s.constant('record'), ...s.each(s.TEXT, 'id', 'stream', 'connection_id') }
const RECORD = s.named(
  'Record',
  {
    ...NAMES,
    ...s.each(s.TEXT, 'connector_key', 'display_name', 'url'),
    ...s.each(s.orNull(s.TEXT), 'title', 'author', 'occurred_at'),
    data: s.ANY_OBJECT,
    emitted_at: s.TIME,
  },
  { version: s.COUNT, truncated_fields: s.listOf(TRUNCATED_FIELD) },
)
const TOMBSTONE = s.named('Tombstone', {
  ...NAMES,
  deleted: s.constant(true),
  ...s.each(s.TIME, 'deleted_at', 'emitted_at'),
})

export type RecordBody = Typed<typeof RECORD>
export type Tombstone = Typed<typeof TOMBSTONE>
export type TruncatedField = Typed<typeof TRUNCATED_FIELD>

export const listRecords = readRoute('GET', '/v1/streams/:stream/records', {
  summary: 'The records of a stream in order, or what changed in it',
  parameters: {
    ...PAGE,
    order: p.withDefault(p.oneOf(ORDERS), 'desc'),
    fields: p.unbound(p.names()),
    where: p.where(),
    filter: p.ownerFilter(),
    ...NARROWING,
    time_zone: p.text(),
    ...SOURCES,
    changes_since: p.text(),
    count: p.unbound(p.oneOf(['exact'])),
    max_field_chars: p.atMost(LONG_TEXT_CHARS),
  },
  excludes: { changes_since: ['order', 'count', 'where', 'filter', 'time_zone', ...NARROWING_NAMES] },
  reply: list(s.either(RECORD, TOMBSTONE), { next_changes_since: s.TEXT }, { count: s.COUNT }),
})

export const listByTime = readRoute('GET', '/v1/records', {
  summary: 'The records of all readable streams by time',
  parameters: {
    ...PAGE,
    order: p.withDefault(p.oneOf(ORDERS), 'desc'),
    streams: p.bracketed(p.texts()),
    ...NARROWING,
    time_zone: p.text(),
    ...SOURCES,
    fields: p.unbound(p.names()),
    count: p.unbound(p.oneOf(['exact'])),
    max_field_chars: p.atMost(LONG_TEXT_CHARS),
  },
  reply: list(RECORD, {}, { count: s.COUNT }),
})

export const readRecord = readRoute('GET', RECORD_PATH, {
  summary: 'One record',
  parameters: { connection_id: p.text(), fields: p.names(), max_field_chars: p.atMost(MOST_CHARS_OF_ONE) },
  reply: RECORD,
  conditional: true,
})

export const deleteRecord = ownerRoute('DELETE', RECORD_PATH, {
  summary: 'Deletes one record',
  parameters: { connection_id: p.text() },
})

const code = 'invalid_window'
const AROUND = { max: MAX_AROUND_CHARS, code } as const

/** The pages, slides, sheets or chapters of a document that a window, or the match in it, is on; counted from 1. */
const PAGES = s.object(
  { unit: s.choice(PAGE_UNITS), ...s.each(s.COUNT, 'first', 'last', 'of'), name: s.orNull(s.TEXT) },
  // Text on at least one of them was recognised in a picture, so it may not be exact.
  { recognised: s.constant(true) },
)

const WINDOW = s.object(
  {
    ...s.each(s.COUNT, 'start_chars', 'end_chars', 'limit_chars'),
    complete: s.FLAG,
    ...s.each(s.orNull(s.TEXT), 'next_cursor', 'previous_cursor'),
    match: s.orNull(s.object({ q: s.TEXT, ...s.each(s.COUNT, 'start_chars', 'end_chars') })),
    text: s.TEXT,
  },
  { pages: PAGES },
)

export const fieldWindow = readRoute('GET', `${RECORD_PATH}/field-window`, {
  summary: 'A bounded part of one text field',
  parameters: {
    connection_id: p.text(),
    field: p.required(p.text()),
    cursor: p.text(),
    offset_chars: p.integer({ code }),
    limit_chars: p.integer({ min: 1, max: MAX_LIMIT_CHARS, code }),
    q: p.text({ min: 1, max: MAX_QUERY_CHARS, code }),
    before_chars: p.integer(AROUND),
    after_chars: p.integer(AROUND),
  },
  reply: s.object({
    object: s.constant('field_window'),
    ...s.each(s.TEXT, 'connection_id', 'stream', 'record_id', 'url'),
    field: s.object({
      ...s.each(s.TEXT, 'path', 'mime_type', 'digest'),
      text_like: s.constant(true),
      size_chars: s.COUNT,
    }),
    window: WINDOW,
  }),
  conditional: true,
})

export const ingest = ownerRoute('POST', '/v1/ingest/:stream', {
  summary: 'Stores records of one stream and one connection, sent as JSON lines',
  parameters: { connection_id: p.required(p.text()), import_id: p.text() },
  body: 'application/x-ndjson',
  reply: s.object({
    ...s.each(s.COUNT, 'seen', 'added', 'updated', 'unchanged', 'deleted', 'rejected'),
    ...s.each(s.COUNT, 'records_accepted', 'records_rejected'),
    rejections: s.listOf(s.object({ line: s.COUNT, ...s.each(s.TEXT, 'code', 'message') })),
    meta: s.object({ warnings: WARNINGS }),
  }),
})
