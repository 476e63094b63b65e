import { readSchema } from '../api/streams.ts'
import { humanName, inSentence, joined } from '../pages/words.ts'
import type { Visit } from './visit.ts'

/** The owner's words for sources and the kinds of their records. */
export interface Vocabulary {
  sources: ReadonlyMap<string, string>
  labels: ReadonlyMap<string, string>
  /** How many fields a stream of a source has now. */
  fields: ReadonlyMap<string, number>
  /** The streams of each source. */
  streams: ReadonlyMap<string, readonly string[]>
  /** The streams whose records have times. */
  timed: ReadonlySet<string>
}

export async function readVocabulary(visit: Visit): Promise<Vocabulary> {
  const { streams } = await visit.call(readSchema, {}, { query: { view: 'compact' } })
  const pairs = streams.flatMap(({ stream, connections }) =>
    connections.map(({ connection_id }) => ({ connection_id, stream })),
  )
  return {
    streams: new Map(
      [...Map.groupBy(pairs, ({ connection_id }) => connection_id)].map(([id, own]) => [
        id,
        own.map(({ stream }) => stream),
      ]),
    ),
    sources: new Map(
      streams.flatMap(each => each.connections.map(one => [one.connection_id, one.display_name] as const)),
    ),
    labels: new Map(streams.map(({ stream, label }) => [stream, label])),
    timed: new Set(
      streams.flatMap(({ stream, consent_time_field }) => (consent_time_field === null ? [] : [stream])),
    ),
    fields: new Map(
      streams.flatMap(({ stream, fields, connections }) =>
        connections.map(one => [`${one.connection_id} ${stream}`, Object.keys(fields ?? {}).length] as const),
      ),
    ),
  }
}

/** The kind of a record, to be told beside its source; empty if the source has only one kind. */
export function kindBeside({ labels, streams }: Vocabulary, connection_id: string, stream: string): string {
  return streams.get(connection_id)?.length === 1 ? '' : (labels.get(stream) ?? humanName(stream))
}

const MOST_KINDS = 20

/** Kinds of records as words of a sentence: Your e-mail, your notes and what you and ChatGPT wrote. */
export function kindsText(streams: Iterable<string>, { labels }: Vocabulary, most = MOST_KINDS): string {
  const [first = '', ...more] = new Set([...streams].map(name => labels.get(name) ?? humanName(name)))
  return joined([first, ...more.map(inSentence)], most)
}
