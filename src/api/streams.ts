import { list } from './list.ts'
import { oneOf, text, withDefault } from './parameter.ts'
import { readRoute } from './route.ts'
import {
  COUNT,
  choice,
  constant,
  listOf,
  mapOf,
  named,
  object,
  orNull,
  type Schema,
  TEXT,
  TIME,
} from './schema.ts'

export const CONNECTION = object({ connection_id: TEXT, connector_key: TEXT, display_name: TEXT })

/** What a declaration says, as far as it may be seen. */
const DECLARED: Schema<object> = { type: 'object' }

export const SCHEMA_VIEWS = ['compact', 'full'] as const

const STREAM_SCHEMA = named(
  'StreamSchema',
  object(
    {
      stream: TEXT,
      label: TEXT,
      detail: orNull(TEXT),
      primary_key: listOf(TEXT),
      cursor_field: orNull(TEXT),
      consent_time_field: orNull(TEXT),
      bounds: listOf(object({ since: orNull(TIME), until: orNull(TIME), records: orNull(COUNT) })),
      connections: listOf(CONNECTION),
    },
    {
      fields: mapOf(TEXT),
      semantics: orNull(TEXT),
      schema: DECLARED,
      views: listOf(DECLARED),
      query: DECLARED,
    },
  ),
)

export const readSchema = readRoute('GET', '/v1/schema', {
  summary: 'What the token may read: streams, connections and fields',
  parameters: { view: withDefault(oneOf(SCHEMA_VIEWS), 'full'), stream: text(), connection_id: text() },
  reply: object({ object: constant('schema'), view: choice(SCHEMA_VIEWS), streams: listOf(STREAM_SCHEMA) }),
})

const STREAM = named(
  'Stream',
  object({
    object: constant('stream'),
    name: TEXT,
    label: TEXT,
    detail: orNull(TEXT),
    record_count: COUNT,
    last_updated: orNull(TIME),
    connections: listOf(
      object({
        connection_id: TEXT,
        connector_key: TEXT,
        display_name: TEXT,
        record_count: COUNT,
        last_updated: orNull(TIME),
      }),
    ),
  }),
)

export const listStreams = readRoute('GET', '/v1/streams', {
  summary: 'The readable streams with their counts',
  reply: list(STREAM),
})

export const readStream = readRoute('GET', '/v1/streams/:stream', {
  summary: 'One stream',
  parameters: { connection_id: text() },
  reply: STREAM,
})
