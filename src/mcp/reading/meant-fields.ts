import { namedBy } from '../../model/ids/citation.ts'
import { isObject, type JsonObject } from '../../model/json.ts'
import { type Flags, roleMeant } from '../../model/reading/grouping.ts'
import { text, texts } from '../arguments.ts'
import { compactStreams } from './declared-streams.ts'
import { plain } from './meant-sources.ts'
import type { ResourceServerClient } from './resource-server-client.ts'

const NAMES = ['field', 'field_path', 'group_by', 'group_by_time', 'split_by']

/**
 * Arguments with fields as the schema writes them: in another spelling, such as a column as its table writes it, if only
 * one field is meant; by what everyone calls them, such as sender or date; and from a list that was sent as one text.
 * Null if that changes nothing.
 */
export async function withMeantFields(
  args: JsonObject,
  client: ResourceServerClient,
): Promise<JsonObject | null> {
  const { fields, filter } = args
  const names = NAMES.filter(name => typeof args[name] === 'string')
  if (names.length === 0 && !Array.isArray(fields) && !isObject(filter)) return null
  const known: Flags = new Map((await compactStreams(client, streamOf(args, client))).flatMap(fieldsOf))
  const meant = (name: string) => meantBy(name, known)
  const changed: JsonObject = {
    ...args,
    ...Object.fromEntries(names.map(name => [name, meant(String(args[name]))])),
    ...(Array.isArray(fields) && {
      fields: [...new Set(fields.flatMap(each => listed(String(each), known).map(meant)))],
    }),
    ...(isObject(filter) && {
      filter: Object.fromEntries(Object.entries(filter).map(([name, each]) => [meant(name), each])),
    }),
  }
  const isLost = isObject(filter) && Object.keys(changed.filter ?? {}).length < Object.keys(filter).length
  return isLost || JSON.stringify(changed) === JSON.stringify(args) ? null : changed
}

/** The field that a name means, or the name itself. */
export function meantBy(name: string, known: Flags): string {
  if (known.has(name)) return name
  const alike = [...known.keys()].filter(each => plain(each) === plain(name))
  if (alike.length > 0) return alike.length === 1 ? (alike[0] ?? name) : name
  const role = roleMeant(name)
  const [first] = [...known].filter(([, flags]) => role !== undefined && flags.includes(role))
  return first?.[0] ?? [`${name}_id`].find(id => known.has(id)) ?? name
}

/** The names in a text; a name may itself contain a comma. */
function listed(text: string, known: Flags): string[] {
  if (known.has(meantBy(text, known))) return [text]
  const names = text.split(',').map(name => name.trim())
  return names.some(name => name !== '') ? names.filter(name => name !== '') : [text]
}

/** The stream that the arguments name, or the first of several. */
export function streamOf(args: JsonObject, { provider }: ResourceServerClient): string | undefined {
  const id = text(args, 'id')
  if (id !== undefined) return namedBy(id, text(args, 'connection_id'), provider.url).stream
  return text(args, 'stream') ?? texts(args, 'streams')?.[0]
}

/** The fields of a stream that can be read, with their flags. */
export function fieldsOf({ fields, schema }: JsonObject): (readonly [string, string[]])[] {
  const declared = fields ?? (isObject(schema) ? schema.properties : null)
  return Object.entries(isObject(declared) ? declared : {}).map(
    ([field, flags]) => [field, typeof flags === 'string' ? flags.split(' ') : []] as const,
  )
}

/**
 * For a list of several streams: the fields that were asked for, and in each stream without any of them the fields that
 * say the same, by their roles.
 */
export async function fieldsOfEachStream(
  client: ResourceServerClient,
  asked: readonly string[],
): Promise<string[]> {
  const each = (await compactStreams(client)).map(stream => new Map(fieldsOf(stream)))
  const rolesOf = (name: string) =>
    new Set([roleMeant(name), ...each.flatMap(fields => (fields.get(name) ?? []).filter(isRole))])
  const meant = asked.flatMap(name => {
    const roles = rolesOf(name)
    const alike = each.flatMap(fields => {
      if (fields.has(name)) return []
      const same = [...fields].find(([, flags]) => flags.some(flag => roles.has(flag)))
      return same ? [same[0]] : []
    })
    return each.some(fields => fields.has(name)) || alike.length === 0 ? [name, ...alike] : alike
  })
  return [...new Set(meant)]
}

/** Whether a flag of a field is a role, by what the schema calls its flags. */
const isRole = (flag: string) => !/[=]|^(?:eq|lex)$/.test(flag)
