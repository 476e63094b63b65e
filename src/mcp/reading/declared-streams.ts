import { listStreams, readSchema, readStream } from '../../api/streams.ts'
import { isObject, type Json, type JsonObject, objectsIn } from '../../model/json.ts'
import { ProviderError } from './provider-error.ts'
import type { ResourceServerClient } from './resource-server-client.ts'

interface SchemaQuery {
  view?: string | undefined
  stream?: string | undefined
  connection_id?: string | null | undefined
}

/** Up to this many streams are described one by one; with more, only their names are listed. */
const MOST_DESCRIBED = 8

/** The schema of any server as a list of streams, even if it is grouped by connector or missing. */
export async function declaredStreams(client: ResourceServerClient, query: SchemaQuery): Promise<JsonObject> {
  try {
    return withStreams(await client.get(readSchema, {}, query))
  } catch (error) {
    if (!(error instanceof ProviderError) || error.status !== 404 || query.connection_id) throw error
    return fromMetadata(client, query.stream)
  }
}

/** The streams with the flags of their fields, all that can be read or those of one name; requested once. */
export function compactStreams(
  client: ResourceServerClient,
  stream?: string,
  connection_id?: string | null,
): Promise<JsonObject[]> {
  return client.kept(JSON.stringify(['streams', stream, connection_id]), async () => {
    const { streams } = await declaredStreams(client, { view: 'compact', stream, connection_id })
    return objectsIn(streams)
  })
}

function withStreams(schema: JsonObject): JsonObject {
  if (Array.isArray(schema.streams) || !Array.isArray(schema.connectors)) return schema
  const { connectors, ...rest } = schema
  return { ...rest, streams: objectsIn(connectors).flatMap(streamsOf) }
}

/** The streams of one connector, each with its connection. */
function streamsOf(connector: JsonObject): JsonObject[] {
  const { streams, connections, connection_id, display_name } = connector
  const own = connection_id === undefined ? [] : [{ connection_id, display_name: display_name ?? null }]
  const named: Json = Array.isArray(connections) ? connections : own
  return (Array.isArray(streams) ? streams : [])
    .map(stream => (typeof stream === 'string' ? { name: stream } : stream))
    .filter(isObject)
    .map(stream => ({ connections: named, ...stream }))
}

/** PDPP Core has no schema of everything, only the list of streams and the metadata of each. */
async function fromMetadata(client: ResourceServerClient, stream: string | undefined): Promise<JsonObject> {
  const describe = (name: string) => client.get(readStream, { stream: name }, {})
  if (stream !== undefined) return { object: 'schema', streams: [await describe(stream)] }
  const { data } = await client.get(listStreams, {}, {})
  const streams = objectsIn(data)
  const names = streams.map(({ name }) => String(name))
  if (names.length > MOST_DESCRIBED) return { object: 'schema', streams }
  return { object: 'schema', streams: await Promise.all(names.map(describe)) }
}
