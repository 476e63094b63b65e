import { listStreams } from '../../api/streams.ts'
import { CodedError } from '../../model/errors.ts'
import { isObject, type JsonObject, objectsIn } from '../../model/json.ts'
import { someNames } from '../../model/some-names.ts'
import { fold } from '../../model/text/fold.ts'
import { quotedHead, word } from '../text/quote.ts'
import { compactStreams } from './declared-streams.ts'
import { fieldsOf, meantBy } from './meant-fields.ts'
import { connectionsLeft, type Narrowing, narrowingOf } from './narrowing.ts'
import { ProviderError } from './provider-error.ts'
import type { ResourceServerClient } from './resource-server-client.ts'

/** The most streams that one call counts. Each is a request to the resource server. */
export const MOST_STREAMS = 40
/** The most streams that a note names. */
export const MOST_NAMED = 8
const NAME_BYTES = 60
const REASON_BYTES = 120
/** A stream's refusal of a count; anything else, such as a token that is no longer valid, refuses the call. */
const REFUSALS: readonly number[] = [400, 403, 404, 422]

/** The readable streams that a narrowing leaves, as declared. */
export async function meantStreams(
  client: ResourceServerClient,
  narrowing: Narrowing,
): Promise<JsonObject[]> {
  const isMeant = (stream: JsonObject) =>
    !Array.isArray(stream.connections) || connectionsLeft(stream, narrowing).length > 0
  return (await compactStreams(client)).filter(isMeant)
}

function namesOf(streams: readonly JsonObject[]): string[] {
  return [...new Set(streams.map(({ stream, name }) => String(stream ?? name)))]
}

/** The streams that a narrowing leaves, the largest if there are too many; the others are named in a note. */
export async function countedStreams(
  client: ResourceServerClient,
  narrowing: Narrowing,
): Promise<{ streams: string[]; notes: string[] }> {
  const named = namesOf(await meantStreams(client, narrowing))
  const all = named.length > MOST_STREAMS ? await largestFirst(client, named) : named
  const left = all.slice(MOST_STREAMS)
  return {
    streams: all.slice(0, MOST_STREAMS),
    notes:
      left.length === 0
        ? []
        : [
            `Not counted, because one call counts ${MOST_STREAMS} streams: ${someNames(left.map(nameText), MOST_NAMED)}.`,
          ],
  }
}

async function largestFirst(client: ResourceServerClient, streams: readonly string[]): Promise<string[]> {
  const { data } = await client.get(listStreams, {}, {})
  const sizes = new Map<string, number>()
  for (const { name, record_count } of objectsIn(data))
    sizes.set(String(name), (sizes.get(String(name)) ?? 0) + Number(record_count ?? 0))
  return streams.toSorted((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0))
}

/** The streams to choose from for a figure of a field, by name: those that have it, if any. */
export async function streamsWith(
  client: ResourceServerClient,
  narrowing: Narrowing,
  field: string | undefined,
): Promise<string[]> {
  const all = await meantStreams(client, narrowing)
  const having = all.filter(
    ({ fields }) =>
      field !== undefined && isObject(fields) && Object.keys(fields).some(name => fold(name) === fold(field)),
  )
  return namesOf(having.length > 0 ? having : all).toSorted()
}

/**
 * Arguments of a call that has to name a stream, with the only one that the named sources have, or the only one of them
 * with the named fields; null if there are several.
 */
export async function withOnlyStream(
  args: JsonObject,
  client: ResourceServerClient,
  needed: 'stream' | 'streams',
): Promise<JsonObject | null> {
  const { connector, connection_id, stream, streams, field, filter } = args
  if ((connector ?? connection_id) === undefined || (stream ?? streams) !== undefined) return null
  const { narrowing } = await narrowingOf(args, client)
  const fields = [
    ...(isObject(filter) ? Object.keys(filter) : []),
    ...(typeof field === 'string' ? [field] : []),
  ]
  const all = (await meantStreams(client, narrowing)).map(each => ({ each, known: new Map(fieldsOf(each)) }))
  const only = namesOf(all.map(({ each }) => each))
  const able = [(name: string) => name, meantBy]
    .map(named => all.filter(({ known }) => fields.every(name => known.has(named(name, known)))))
    .find(({ length }) => length > 0)
  // The only stream there is may then refuse a field by naming those it has.
  const [meant, ...others] = able ? namesOf(able.map(({ each }) => each)) : only
  if (meant === undefined || others.length > 0) return null
  return { ...args, ...(needed === 'stream' ? { stream: meant } : { streams: [meant] }) }
}

/** The refusal of a call that has to name a stream, with the streams to choose from. */
export function needsStream(reason: string, streams: readonly string[]): CodedError {
  const names = someNames(streams.map(nameText), MOST_STREAMS)
  const choice = names === '' ? '' : ` Name one of ${names}.`
  return new CodedError('invalid_request', `${reason}${choice}`, { param: 'stream' })
}

/** The figures of one stream. */
export interface Counted {
  stream: string
  figures: JsonObject
}

/** Counts one stream after another; streams that refuse, or cannot answer, are named in a note. */
export async function countEach(
  streams: readonly string[],
  count: (stream: string) => Promise<JsonObject>,
): Promise<{ counted: Counted[]; notes: string[] }> {
  const answered: Counted[] = []
  const refused: { stream: string; error: Error }[] = []
  for (const stream of streams) {
    try {
      answered.push({ stream, figures: await count(stream) })
    } catch (error) {
      if (!isRefusal(error)) throw error
      refused.push({ stream, error })
    }
  }
  if (answered.length === 0 && refused[0]) throw refused[0].error
  const able = answered.filter(({ figures }) => lackOf(figures) === null)
  // If no stream can answer, the count is 0 and its warning says why.
  const counted = able.length > 0 ? able : answered
  const unable = answered.filter(each => !counted.includes(each))
  const left = [
    ...refused.map(({ stream, error }) => ({ stream, reason: firstSentence(error.message) })),
    ...unable.map(({ stream, figures }) => ({ stream, reason: lackOf(figures) ?? '' })),
  ]
  const byReason = Map.groupBy(left, ({ reason }) => reason)
  const told = [...byReason].map(([reason, each]) => {
    const names = someNames(
      each.map(({ stream }) => nameText(stream)),
      MOST_NAMED,
    )
    return `${names} (${quotedHead(reason, REASON_BYTES)})`
  })
  return { counted, notes: told.length === 0 ? [] : [`Not counted: ${someNames(told, MOST_NAMED)}.`] }
}

/** Why nothing in a stream can match an operator, as its warning says it; null if something can. */
function lackOf({ meta }: JsonObject): string | null {
  const warnings = isObject(meta) ? objectsIn(meta.warnings) : []
  const warning = warnings.find(({ code }) => code === 'streams_left_out')
  if (!warning) return null
  const [, lack] =
    /^No readable stream has a (.+), so nothing can match\.$/.exec(String(warning.message)) ?? []
  return lack === undefined ? String(warning.message) : `It has no ${lack}.`
}

function firstSentence(message: string): string {
  return message.split(/(?<=\.) /)[0] ?? message
}

export function isRefusal(error: unknown): error is Error {
  return (error instanceof ProviderError || error instanceof CodedError) && REFUSALS.includes(error.status)
}

/** The name of a stream in a note. */
export function nameText(stream: string): string {
  return word(stream, NAME_BYTES)
}
