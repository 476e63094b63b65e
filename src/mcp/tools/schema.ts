import { readSchema as route } from '../../api/streams.ts'
import { define, isObject, type Json, type JsonObject, objectsIn } from '../../model/json.ts'
import { text } from '../arguments.ts'
import { declaredStreams } from '../reading/declared-streams.ts'
import { smallMembers } from '../reading/preview.ts'
import type { ResourceServerClient } from '../reading/resource-server-client.ts'
import { MOST_STRUCTURED_BYTES } from '../rendering/fitting-page.ts'
import { schemaText } from '../rendering/schema-text.ts'
import { answer, CONNECTION_ID, each, exactly, listOf, TEXT } from '../schemas.ts'
import { bytesOf, mostThatFit } from '../text/quote.ts'
import type { Tool, ToolAnswer } from '../tool.ts'

/** With more streams than this, the response is an index; the fields of a stream are requested by its name (BU-3). */
const MOST_WITH_FIELDS = 8
const MOST_MEMBER_BYTES = 1_000
const MOST_FIELD_BYTES = 20_000
const MOST_CONNECTIONS = 20

export const schema: Tool = {
  name: 'schema',
  title: 'What can be read',
  description:
    'Which mail, chats, notes and documents can be read: accounts (connections), streams and fields. Flags of a field: t=type, its role, eq and r= (filters), lex (searchable), a= (aggregations). With many streams the result is an index: name one to get its fields.',
  hint: 'what data and accounts can be read',
  input: {
    type: 'object',
    properties: {
      detail: { ...route.parameters.view.schema, default: 'compact' },
      stream: TEXT,
      connection_id: CONNECTION_ID,
    },
    additionalProperties: false,
  },
  output: exactly(
    { data: answer({ streams: listOf({ properties: each({}, 'stream', 'fields', 'connections') }) }) },
    ['data'],
  ),
  run: readSchema,
}

async function readSchema(args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer> {
  const stream = text(args, 'stream')
  const data = await declaredStreams(client, {
    view: text(args, 'detail') ?? 'compact',
    stream,
    connection_id: text(args, 'connection_id'),
  })
  const streams = objectsIn(data.streams)
  const fits = bytesOf(JSON.stringify(data)) <= MOST_STRUCTURED_BYTES
  const many = stream === undefined && streams.length > MOST_WITH_FIELDS
  const index = stream === undefined && (many || !fits)
  const shown = index
    ? { ...listed(data, streams.map(entryOf)), index }
    : fits
      ? data
      : listed(data, streams.map(narrowed))
  return { text: schemaText(shown), structured: { data: shown } }
}

/** The schema with as many of these streams as fit. */
function listed(data: JsonObject, entries: JsonObject[]): JsonObject {
  const { streams: _, ...rest } = data
  const build = (shown: number): JsonObject => ({
    ...smallMembers(rest, MOST_MEMBER_BYTES),
    ...(shown < entries.length ? { more_streams: entries.length - shown } : {}),
    streams: entries.slice(0, shown),
  })
  const room = MOST_STRUCTURED_BYTES - MOST_MEMBER_BYTES
  return build(mostThatFit(entries.length, shown => JSON.stringify(build(shown)), room))
}

/** A stream without its fields. */
function entryOf(stream: JsonObject): JsonObject {
  const { fields, schema: declared, views: _, query: __, connections, ...heading } = stream
  const described = isObject(fields) ? fields : isObject(declared) ? declared.properties : undefined
  return {
    ...smallMembers(heading, MOST_MEMBER_BYTES),
    field_count: isObject(described) ? Object.keys(described).length : 0,
    ...connectionsOf(connections),
  }
}

/** A stream with as many of its fields as fit. */
function narrowed(stream: JsonObject): JsonObject {
  const { fields, schema: declared, connections, ...heading } = stream
  const full = !isObject(fields) && isObject(declared)
  const described = isObject(fields)
    ? fields
    : full && isObject(declared.properties)
      ? declared.properties
      : {}
  const kept: JsonObject = {}
  let room = MOST_FIELD_BYTES
  for (const [field, told] of Object.entries(described)) {
    room -= bytesOf(JSON.stringify([field, told]))
    if (room < 0) break
    define(kept, field, told)
  }
  const more = Object.keys(described).length - Object.keys(kept).length
  return {
    ...smallMembers(heading, MOST_MEMBER_BYTES),
    ...connectionsOf(connections),
    ...(more > 0 ? { more_fields: more } : {}),
    ...(full ? { schema: { type: 'object', properties: kept } } : { fields: kept }),
  }
}

function connectionsOf(connections: Json | undefined): JsonObject {
  const all = objectsIn(connections)
  const shown = all
    .slice(0, MOST_CONNECTIONS)
    .map(({ connection_id, display_name }) =>
      smallMembers(
        { connection_id: connection_id ?? null, display_name: display_name ?? null },
        MOST_MEMBER_BYTES,
      ),
    )
  return {
    connections: shown,
    ...(all.length > shown.length ? { more_connections: all.length - shown.length } : {}),
  }
}
