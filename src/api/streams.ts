import { list } from './list.ts'
import * as p from './parameter.ts'
import { readRoute } from './route.ts'
import type { Schema } from './schema.ts'
import * as s from './schema.ts'

const CONNECTION = s.each(s.TEXT, 'connection_id', 'connector_key', 'display_name')

/** The content of a declaration, as far as it may be seen. */
const DECLARED: Schema<object> = { type: 'object' }

const SCHEMA_VIEWS = ['compact', 'full'] as const

const STREAM_SCHEMA = s.named(
  'StreamSchema',
  {
    ...s.each(s.TEXT, 'stream', 'label'),
    ...s.each(s.orNull(s.TEXT), 'detail', 'cursor_field', 'consent_time_field'),
    primary_key: s.listOf(s.TEXT),
    bounds: s.listOf(s.object({ ...s.each(s.orNull(s.TIME), 'since', 'until'), records: s.orNull(s.COUNT) })),
    connections: s.listOf(s.object(CONNECTION, { index_rebuild: s.object(s.each(s.COUNT, 'done', 'all')) })),
  },
  {
    fields: s.mapOf(s.TEXT),
    semantics: s.orNull(s.TEXT),
    views: s.listOf(DECLARED),
    ...s.each(DECLARED, 'schema', 'query'),
  },
)

export const readSchema = readRoute('GET', '/v1/schema', {
  summary: 'What the token may read: streams, connections and fields',
  parameters: {
    view: p.withDefault(p.oneOf(SCHEMA_VIEWS), 'full'),
    stream: p.text(),
    connection_id: p.text(),
  },
  reply: s.object({
    object: s.constant('schema'),
    view: s.choice(SCHEMA_VIEWS),
    ...s.each(s.TEXT, 'time_zone', 'today'),
    streams: s.listOf(STREAM_SCHEMA),
  }),
})

/** When the records were last fetched from their source, if known. */
const FRESHNESS = s.object({
  ...s.each(s.orNull(s.TIME), 'captured_at', 'last_attempted_at'),
  status: s.choice(['current', 'stale', 'unknown']),
})
const FIGURES = { record_count: s.COUNT, last_updated: s.orNull(s.TIME) }
const STREAM = s.named('Stream', {
  object: s.constant('stream'),
  ...s.each(s.TEXT, 'name', 'label'),
  detail: s.orNull(s.TEXT),
  ...FIGURES,
  freshness: FRESHNESS,
  connections: s.listOf(s.object({ ...CONNECTION, ...FIGURES })),
})

/** A stream as its publisher declared it. */
const STREAM_METADATA = s.named('StreamMetadata', {
  object: s.constant('stream_metadata'),
  ...s.each(s.TEXT, 'name', 'declaration_version', 'semantics'),
  source: s.object(s.each(s.TEXT, 'kind', 'id')),
  ...s.each(DECLARED, 'display', 'schema', 'query'),
  primary_key: s.listOf(s.TEXT),
  ...s.each(s.orNull(s.TEXT), 'cursor_field', 'consent_time_field'),
  selection: s.object(s.each(s.FLAG, 'fields', 'resources')),
  ...s.each(s.listOf(DECLARED), 'views', 'relationships'),
  freshness: FRESHNESS,
})

export const listStreams = readRoute('GET', '/v1/streams', {
  summary: 'The readable streams with their counts',
  reply: list(STREAM),
})

export const readStream = readRoute('GET', '/v1/streams/:stream', {
  summary: 'What one stream contains, as its source declares it',
  parameters: { connection_id: p.text() },
  reply: STREAM_METADATA,
})
