import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { text } from '../arguments.ts'
import { schemaText } from '../rendering/schema-text.ts'
import type { ResourceServerClient } from '../resource-server-client.ts'
import { CONNECTION_ID, DATA, TEXT } from '../schemas.ts'
import type { Tool, ToolAnswer } from '../tool.ts'

/** Above so many streams the answer is an index; the fields of a stream are asked for by its name (BU-3). */
const MOST_WITH_FIELDS = 8
const MOST_BYTES = 28_000

export const schema: Tool = {
  name: 'schema',
  title: 'What can be read',
  description:
    'Streams, connections and fields that this grant opens. Flags of a field: t=type, its role, eq and r= (filters), lex (searchable), a= (aggregations). With many streams it is an index: name a stream for its fields.',
  input: {
    type: 'object',
    properties: {
      detail: { type: 'string', enum: ['compact', 'full'], default: 'compact' },
      stream: TEXT,
      connection_id: CONNECTION_ID,
    },
    additionalProperties: false,
  },
  output: { type: 'object', properties: { data: DATA }, required: ['data'] },
  run: readSchema,
}

async function readSchema(args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer> {
  const stream = text(args, 'stream')
  const data = await client.get('/v1/schema', {
    view: text(args, 'detail') ?? 'compact',
    stream,
    connection_id: text(args, 'connection_id'),
  })
  const streams = Array.isArray(data.streams) ? data.streams : []
  const large = streams.length > MOST_WITH_FIELDS || Buffer.byteLength(JSON.stringify(data)) > MOST_BYTES
  const shown = stream === undefined && large ? indexOf(data, streams) : data
  return { text: schemaText(shown), structured: { data: shown } }
}

/** Streams without their fields, as many as fit. */
function indexOf(data: JsonObject, streams: Json[]): JsonObject {
  const entries = streams.flatMap(each => (isObject(each) ? [entryOf(each)] : []))
  const kept: JsonObject[] = []
  let bytes = 0
  for (const entry of entries) {
    bytes += Buffer.byteLength(JSON.stringify(entry)) + 1
    if (bytes > MOST_BYTES) break
    kept.push(entry)
  }
  const left = entries.length - kept.length
  return { ...data, index: true, ...(left > 0 ? { more_streams: left } : {}), streams: kept }
}

function entryOf(stream: JsonObject): JsonObject {
  const { fields, schema: declared, views: _, query: __, connections, ...heading } = stream
  const described = isObject(fields) ? fields : isObject(declared) ? declared.properties : undefined
  const ids = Array.isArray(connections)
    ? connections.map(each =>
        isObject(each) ? { connection_id: each.connection_id, display_name: each.display_name } : each,
      )
    : []
  return {
    ...heading,
    field_count: isObject(described) ? Object.keys(described).length : 0,
    connections: ids as Json,
  }
}
