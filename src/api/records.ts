import { MAX_AROUND_CHARS, MAX_LIMIT_CHARS, MAX_QUERY_CHARS } from '../model/reading/window.ts'
import { LONG_TEXT_CHARS } from '../model/text/pieces.ts'
import { list, PAGE } from './list.ts'
import {
  atMost,
  conditions,
  integer,
  names,
  oneOf,
  required,
  text,
  unbound,
  withDefault,
} from './parameter.ts'
import { ownerRoute, readRoute } from './route.ts'
import {
  ANY_OBJECT,
  COUNT,
  constant,
  either,
  FLAG,
  listOf,
  named,
  object,
  orNull,
  TEXT,
  TIME,
  type Typed,
} from './schema.ts'

const RECORD_PATH = '/v1/streams/:stream/records/:record_id'
const MOST_CHARS_OF_ONE = 1_000_000

export const ORDERS = ['asc', 'desc'] as const

const TRUNCATED_FIELD = object({ field_path: TEXT, size_chars: COUNT, returned_chars: COUNT, digest: TEXT })

const RECORD = named(
  'Record',
  object(
    {
      object: constant('record'),
      id: TEXT,
      stream: TEXT,
      connection_id: TEXT,
      connector_key: TEXT,
      display_name: TEXT,
      title: orNull(TEXT),
      url: TEXT,
      data: ANY_OBJECT,
      emitted_at: TIME,
    },
    { version: COUNT, truncated_fields: listOf(TRUNCATED_FIELD) },
  ),
)

const TOMBSTONE = named(
  'Tombstone',
  object({
    object: constant('record'),
    id: TEXT,
    stream: TEXT,
    connection_id: TEXT,
    deleted: constant(true),
  }),
)

export type RecordBody = Typed<typeof RECORD>
export type Tombstone = Typed<typeof TOMBSTONE>
export type TruncatedField = Typed<typeof TRUNCATED_FIELD>

export const listRecords = readRoute('GET', '/v1/streams/:stream/records', {
  summary: 'The records of a stream in order, or what changed in it',
  parameters: {
    ...PAGE,
    order: withDefault(oneOf(ORDERS), 'desc'),
    fields: unbound(names()),
    filter: conditions(),
    connection_id: text(),
    changes_since: text(),
    count: unbound(oneOf(['exact'])),
    max_field_chars: atMost(LONG_TEXT_CHARS),
  },
  excludes: { changes_since: ['order', 'count', 'filter'] },
  reply: list(either(RECORD, TOMBSTONE), { next_changes_since: TEXT }, { count: COUNT }),
})

export const readRecord = readRoute('GET', RECORD_PATH, {
  summary: 'One record',
  parameters: { connection_id: text(), fields: names(), max_field_chars: atMost(MOST_CHARS_OF_ONE) },
  reply: RECORD,
})

export const deleteRecord = ownerRoute('DELETE', RECORD_PATH, {
  summary: 'Deletes one record',
  parameters: { connection_id: text() },
})

const code = 'invalid_window'

export const WINDOW = object({
  start_chars: COUNT,
  end_chars: COUNT,
  limit_chars: COUNT,
  complete: FLAG,
  next_cursor: orNull(TEXT),
  previous_cursor: orNull(TEXT),
  match: orNull(object({ q: TEXT, start_chars: COUNT, end_chars: COUNT })),
  text: TEXT,
})

export const fieldWindow = readRoute('GET', `${RECORD_PATH}/field-window`, {
  summary: 'A bounded part of one text field',
  parameters: {
    connection_id: text(),
    field: required(text()),
    cursor: text(),
    offset_chars: integer({ code }),
    limit_chars: integer({ min: 1, max: MAX_LIMIT_CHARS, code }),
    q: text({ min: 1, max: MAX_QUERY_CHARS, code }),
    before_chars: integer({ max: MAX_AROUND_CHARS, code }),
    after_chars: integer({ max: MAX_AROUND_CHARS, code }),
  },
  reply: object({
    object: constant('field_window'),
    connection_id: TEXT,
    stream: TEXT,
    record_id: TEXT,
    field: object({
      path: TEXT,
      text_like: constant(true),
      mime_type: TEXT,
      size_chars: COUNT,
      digest: TEXT,
    }),
    window: WINDOW,
  }),
})
