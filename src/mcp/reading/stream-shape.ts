import type { RecordReference } from '../../model/ids/handle.ts'
import { isObject, type JsonObject } from '../../model/json.ts'
import { declaredStreams } from './declared-streams.ts'
import type { ResourceServerClient } from './resource-server-client.ts'

/** What is needed of a stream to read a record: the declared order of fields, and which one is its text. */
export interface StreamShape {
  fields: string[]
  textField: string | null
}

const UNKNOWN: StreamShape = { fields: [], textField: null }
const TEXT_ROLE = /(?:^| )(?:primary-text|text)(?: |$)/

/** Asks the schema; a server that does not answer leaves the order to the record itself. */
export async function shapeOf(
  client: ResourceServerClient,
  reference: RecordReference,
): Promise<StreamShape> {
  const { stream, connection_id } = reference
  const query = { view: 'compact', stream, connection_id }
  const schema = await declaredStreams(client, query).catch(() => null)
  const described = schema && Array.isArray(schema.streams) ? schema.streams : []
  const found = described.find(each => isObject(each) && (each.stream === stream || each.name === stream))
  if (!isObject(found)) return UNKNOWN
  if (isObject(found.fields)) return shapeFrom(found.fields)
  const { schema: declared } = found
  return isObject(declared) && isObject(declared.properties)
    ? { fields: Object.keys(declared.properties), textField: null }
    : UNKNOWN
}

function shapeFrom(fields: JsonObject): StreamShape {
  const texts = Object.entries(fields).filter(
    ([, flags]) => typeof flags === 'string' && TEXT_ROLE.test(flags),
  )
  return { fields: Object.keys(fields), textField: texts.length === 1 ? (texts[0]?.[0] ?? null) : null }
}
