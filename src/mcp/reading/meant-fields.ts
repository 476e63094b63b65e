import { isObject, type JsonObject } from '../../model/json.ts'
import { fold } from '../../model/text/fold.ts'
import { text, texts } from '../arguments.ts'
import { namedBy } from '../text/record-handle.ts'
import { declaredStreams } from './declared-streams.ts'
import type { ResourceServerClient } from './resource-server-client.ts'

const NAMES = ['field', 'field_path', 'group_by', 'group_by_time', 'split_by']

/**
 * Arguments with fields as the schema writes them: in other capitals, if only one field is meant, and from a list that
 * was sent as one text. Null if that changes nothing.
 */
export async function withMeantFields(
  args: JsonObject,
  client: ResourceServerClient,
): Promise<JsonObject | null> {
  const { fields, filter } = args
  const names = NAMES.filter(name => typeof args[name] === 'string')
  if (names.length === 0 && !Array.isArray(fields) && !isObject(filter)) return null
  const known = await readableFields(client, streamOf(args, client))
  const meant = (name: string) => meantBy(name, known)
  const changed: JsonObject = {
    ...args,
    ...Object.fromEntries(names.map(name => [name, meant(String(args[name]))])),
    ...(Array.isArray(fields) && { fields: fields.flatMap(each => listed(String(each), known).map(meant)) }),
    ...(isObject(filter) && {
      filter: Object.fromEntries(Object.entries(filter).map(([name, each]) => [meant(name), each])),
    }),
  }
  const isLost = isObject(filter) && Object.keys(changed.filter ?? {}).length < Object.keys(filter).length
  return isLost || JSON.stringify(changed) === JSON.stringify(args) ? null : changed
}

function meantBy(name: string, known: ReadonlySet<string>): string {
  if (known.has(name)) return name
  const [only = name, ...others] = [...known].filter(each => fold(each) === fold(name))
  return others.length === 0 ? only : name
}

/** The names in a text; a name may itself contain a comma. */
function listed(text: string, known: ReadonlySet<string>): string[] {
  if (known.has(meantBy(text, known))) return [text]
  const names = text.split(',').map(name => name.trim())
  return names.some(name => name !== '') ? names.filter(name => name !== '') : [text]
}

function streamOf(args: JsonObject, { provider }: ResourceServerClient): string | undefined {
  const id = text(args, 'id')
  if (id !== undefined) return namedBy(id, text(args, 'connection_id'), provider.url).stream
  return text(args, 'stream') ?? texts(args, 'streams')?.[0]
}

/** The fields of a stream that can be read, or of all streams. */
async function readableFields(
  client: ResourceServerClient,
  stream: string | undefined,
): Promise<ReadonlySet<string>> {
  const { streams } = await declaredStreams(client, { view: 'compact', stream })
  const described = Array.isArray(streams) ? streams.filter(isObject) : []
  return new Set(
    described.flatMap(({ fields, schema }) => {
      const declared = fields ?? (isObject(schema) ? schema.properties : null)
      return isObject(declared) ? Object.keys(declared) : []
    }),
  )
}
