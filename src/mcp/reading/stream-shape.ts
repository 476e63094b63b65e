import type { RecordReference } from '../../model/ids/handle.ts'
import { isObject, type JsonObject } from '../../model/json.ts'
import { declaredStreams } from './declared-streams.ts'
import type { ResourceServerClient } from './resource-server-client.ts'

/** What is needed about a stream to read a record: the declared order of fields, and which one is its text. */
export interface StreamShape {
  fields: string[]
  textField: string | null
  /** When a record ended; null if records have only one time, or it is hidden. */
  endField: string | null
  mediaTypes: MediaTypes
}

/** The declared media types of texts, by the names of their fields. */
export type MediaTypes = ReadonlyMap<string, string>

const UNKNOWN: StreamShape = { fields: [], textField: null, endField: null, mediaTypes: new Map() }
const END_ROLE = /(?:^| )end-time(?: |$)/
const TEXT_ROLE = /(?:^| )(?:primary-text|text)(?: |$)/

/** Reads the schema; if the server does not answer, the fields keep the order of the record. */
export async function shapeOf(
  client: ResourceServerClient,
  reference: RecordReference,
): Promise<StreamShape> {
  const { stream, connection_id } = reference
  const ask = async () =>
    shapeIn(await declaredStreams(client, { view: 'compact', stream, connection_id }), stream)
  return client.kept(JSON.stringify(['shape', stream, connection_id]), ask).catch(() => UNKNOWN)
}

function shapeIn(schema: JsonObject, stream: string): StreamShape {
  const described = Array.isArray(schema.streams) ? schema.streams : []
  const found = described.find(each => isObject(each) && (each.stream === stream || each.name === stream))
  if (!isObject(found)) return UNKNOWN
  if (isObject(found.fields)) return shapeFrom(found.fields)
  const { schema: declared } = found
  return isObject(declared) && isObject(declared.properties)
    ? { ...UNKNOWN, fields: Object.keys(declared.properties) }
    : UNKNOWN
}

function shapeFrom(fields: JsonObject): StreamShape {
  const texts = Object.entries(fields).filter(
    ([, flags]) => typeof flags === 'string' && TEXT_ROLE.test(flags),
  )
  return {
    fields: Object.keys(fields),
    textField: texts.length === 1 ? (texts[0]?.[0] ?? null) : null,
    endField: Object.keys(fields).find(field => END_ROLE.test(String(fields[field]))) ?? null,
    mediaTypes: mediaTypesIn(fields),
  }
}

const MEDIA_TYPE = /(?:^| )m=(\S+)/

function mediaTypesIn(fields: JsonObject): MediaTypes {
  const types = Object.entries(fields).flatMap(([field, flags]) => {
    const type = typeof flags === 'string' ? MEDIA_TYPE.exec(flags)?.[1] : undefined
    return type === undefined ? [] : [[field, type] as const]
  })
  return new Map(types)
}

/** The media types of a stream, or of every stream that can be read, by its name. */
export function mediaTypesOf(
  client: ResourceServerClient,
  stream?: string,
): Promise<ReadonlyMap<string, MediaTypes>> {
  const ask = async () => mediaTypesBy(await declaredStreams(client, { view: 'compact', stream }))
  return client.kept(JSON.stringify(['media types', stream]), ask)
}

function mediaTypesBy({ streams }: JsonObject): ReadonlyMap<string, MediaTypes> {
  const found = new Map<string, Map<string, string>>()
  for (const each of Array.isArray(streams) ? streams.filter(isObject) : []) {
    if (typeof each.stream !== 'string' || !isObject(each.fields)) continue
    found.set(each.stream, new Map([...(found.get(each.stream) ?? []), ...mediaTypesIn(each.fields)]))
  }
  return found
}
