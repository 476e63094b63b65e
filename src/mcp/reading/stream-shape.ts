import type { RecordReference } from '../../model/ids/handle.ts'
import { isObject, type JsonObject } from '../../model/json.ts'
import { compactStreams } from './declared-streams.ts'
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
  const streams = await compactStreams(client, stream, connection_id).catch(() => [])
  const { fields, schema } = streams.find(each => each.stream === stream || each.name === stream) ?? {}
  if (isObject(fields)) return shapeFrom(fields)
  return isObject(schema) && isObject(schema.properties)
    ? { ...UNKNOWN, fields: Object.keys(schema.properties) }
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

/** The streams whose records end, such as events, which are also in the future. */
export async function streamsOfEvents(client: ResourceServerClient): Promise<string[]> {
  const ending = (await compactStreams(client)).filter(
    ({ fields }) => isObject(fields) && shapeFrom(fields).endField !== null,
  )
  return [...new Set(ending.map(({ stream, name }) => String(stream ?? name)))]
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
export async function mediaTypesOf(
  client: ResourceServerClient,
  stream?: string,
): Promise<ReadonlyMap<string, MediaTypes>> {
  const found = new Map<string, MediaTypes>()
  for (const { stream: name, fields } of await compactStreams(client, stream)) {
    if (typeof name !== 'string' || !isObject(fields)) continue
    found.set(name, new Map([...(found.get(name) ?? []), ...mediaTypesIn(fields)]))
  }
  return found
}
