import { type JsonObject, objectsIn } from '../../model/json.ts'
import { wordsOf } from '../../model/reading/role-test.ts'
import { fold } from '../../model/text/fold.ts'
import { text, texts } from '../arguments.ts'
import { compactStreams } from './declared-streams.ts'
import type { ResourceServerClient } from './resource-server-client.ts'

/** A connection in which a readable stream has records. */
interface Declared {
  stream: string
  kind: string
  id: string
  name: string
}

async function declaredSources(client: ResourceServerClient): Promise<Declared[]> {
  return (await compactStreams(client)).flatMap(({ stream, name, connections }) =>
    objectsIn(connections).map(each => ({
      stream: String(stream ?? name),
      kind: String(each.connector_key),
      id: String(each.connection_id),
      name: String(each.display_name),
    })),
  )
}

/** Ids of connections begin like this on servers of this kind. */
const isConnectionId = (text: string) => text.startsWith('cin_')

/**
 * Ids as given; a name, as the schema shows it, is replaced by its id if exactly one connection has it, or else contains
 * its words. The name of a kind means all connections of that kind.
 */
export async function connectionIds(client: ResourceServerClient, given: string[]): Promise<string[]> {
  if (given.every(isConnectionId)) return given
  const declared = await declaredSources(client)
  return [...new Set(given.flatMap(name => (isConnectionId(name) ? [name] : idsNamed(name, declared))))]
}

function idsNamed(name: string, declared: readonly Declared[]): string[] {
  const exact = idsOf(declared.filter(each => fold(each.name) === fold(name)))
  if (exact.length > 0) return exact.length === 1 ? exact : [name]
  const containing = idsOf(declared.filter(each => containsWords(each.name, name)))
  if (containing.length === 1) return containing
  const kinds = kindsNamed(name, declared)
  const ofKind = idsOf(declared.filter(({ kind }) => kinds.includes(kind)))
  return ofKind.length > 0 ? ofKind : [name]
}

const idsOf = (declared: readonly Declared[]) => [...new Set(declared.map(({ id }) => id))]

/**
 * The sources that the argument `connector` means: kinds, of which several may be separated by commas, or else the names
 * of connections. A word that means none is sent as it is, and refused with the kinds there are.
 */
export async function sourcesNamed(
  client: ResourceServerClient,
  given: string,
): Promise<{ connector?: string[]; connection_id?: string[] }> {
  const declared = await declaredSources(client)
  const whole = kindsNamed(given, declared)
  const names = whole.length > 0 ? [given] : given.split(',').map(name => name.trim())
  const kinds = names.map(name => kindsNamed(name, declared))
  if (kinds.every(({ length }) => length > 0)) return { connector: [...new Set(kinds.flat())] }
  const ids = names.flatMap(name => idsNamed(name, declared))
  return ids.every(isConnectionId) ? { connection_id: [...new Set(ids)] } : { connector: [given] }
}

/**
 * The kinds of source that a word means: the kind of that name, or else those that begin with it or have a stream of
 * that name, such as `table` and `email`.
 */
function kindsNamed(given: string, declared: readonly Declared[]): string[] {
  const named = plain(given)
  const one = singular(named)
  const meant = [
    declared.filter(({ kind }) => kind === given),
    declared.filter(({ kind }) => plain(kind) === named),
    declared.filter(
      ({ kind, stream }) => plain(kind.split('-')[0] ?? '') === one || singular(plain(stream)) === one,
    ),
  ].find(({ length }) => length > 0)
  return [...new Set((meant ?? []).map(({ kind }) => kind))]
}

/** A name without capitals, accents, spaces and signs. */
export const plain = (name: string) => fold(name).replace(/[^\p{L}\p{N}]/gu, '')

const singular = (name: string) => name.replace(/s$/, '')

function containsWords(name: string, asked: string): boolean {
  const words = wordsOf(name)
  const wanted = wordsOf(asked)
  return wanted.length > 0 && wanted.every(word => words.includes(word))
}

/** Which connections the value of `in:` names, if it names a source instead of a place in one. */
export async function sourcesCalled(client: ResourceServerClient, given: string): Promise<string[]> {
  const { connector, connection_id } = await sourcesNamed(client, given)
  const declared = await declaredSources(client)
  const meant = declared.filter(({ kind, id }) => connector?.includes(kind) || connection_id?.includes(id))
  return [...new Set(meant.map(({ name }) => name))]
}

/**
 * Arguments with streams as the schema names them. One word of a name is enough; the name of a kind of source means its
 * streams. A tool that reads one stream reads all streams of that kind instead. Null if that changes nothing.
 */
export async function withMeantStreams(
  args: JsonObject,
  client: ResourceServerClient,
): Promise<JsonObject | null> {
  const one = text(args, 'stream')
  const given = texts(args, 'streams')
  if (one === undefined && given === undefined) return null
  const declared = await declaredSources(client)
  const known = new Set(declared.map(({ stream }) => stream))
  if (given !== undefined) {
    const names = given.flatMap(name => (known.has(name) ? [name] : name.split(',').map(part => part.trim())))
    const streams = names.map(name => streamsNamed(name, declared))
    if (streams.some(({ length }) => length === 0)) return null
    return changed(args, { streams: [...new Set(streams.flat())] })
  }
  const [stream, ...others] = streamsNamed(one ?? '', declared)
  if (stream !== undefined && others.length === 0) return changed(args, { stream })
  if (args.connector !== undefined || args.connection_id !== undefined) return null
  const { stream: _, ...rest } = args
  const kinds = kindsNamed(one ?? '', declared)
  if (kinds.length > 0) return { ...rest, connector: kinds.join(',') }
  const ids = idsNamed(one ?? '', declared)
  return ids.every(isConnectionId) ? withStreamsOf(rest, ids, declared) : null
}

/** Arguments for what connections have: their stream, or all streams of theirs. */
function withStreamsOf(args: JsonObject, ids: string[], declared: readonly Declared[]): JsonObject {
  const [stream, ...others] = new Set(
    declared.filter(({ id }) => ids.includes(id)).map(({ stream }) => stream),
  )
  return { ...args, connection_id: ids, ...(stream !== undefined && others.length === 0 ? { stream } : {}) }
}

function changed(args: JsonObject, meant: JsonObject): JsonObject | null {
  const all = { ...args, ...meant }
  return JSON.stringify(all) === JSON.stringify(args) ? null : all
}

/** The streams that a word for their records means: `emails`, or `message` for every stream of messages. */
export async function streamsMeant(client: ResourceServerClient, given: string): Promise<string[]> {
  const declared = await declaredSources(client)
  const named = streamsNamed(given, declared)
  return named.length > 0 ? named : streamsNamed(`${given}s`, declared)
}

function streamsNamed(given: string, declared: readonly Declared[]): string[] {
  const one = singular(plain(given))
  const kinds = kindsNamed(given, declared)
  const meant = [
    declared.filter(({ stream }) => stream === given),
    declared.filter(({ stream }) => singular(plain(stream)) === one),
    declared.filter(({ kind }) => kinds.includes(kind)),
    declared.filter(({ stream }) => containsWords(stream, given)),
  ].find(({ length }) => length > 0)
  return [...new Set((meant ?? []).map(({ stream }) => stream))]
}
