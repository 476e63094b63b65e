import { html } from 'hono/html'
import { readSchema } from '../../api/streams.ts'
import type { GrantedStream } from '../../model/access/grant.ts'
import { durationText, purposeText } from '../../model/access/purpose.ts'
import { counted } from '../../model/amounts.ts'
import type { Html } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { humanName, listed } from '../../pages/words.ts'
import type { Visit } from '../visit.ts'
import { connectionsOf, type GrantWithTerms } from './app-access.ts'

/** What is needed to describe a grant in the owner's words. */
export interface Vocabulary {
  sources: ReadonlyMap<string, string>
  labels: ReadonlyMap<string, string>
  /** How many fields a stream of a source has now. */
  fields: ReadonlyMap<string, number>
  /** The streams whose records have times. */
  timed: ReadonlySet<string>
}

export async function readVocabulary(visit: Visit): Promise<Vocabulary> {
  const { streams } = await visit.call(readSchema, {}, { query: { view: 'compact' } })
  return {
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

/** The names of the sources that a grant gives access to. */
export function sourceNames(grant: GrantWithTerms, { sources }: Vocabulary): string[] {
  return connectionsOf(grant).map(id => sources.get(id) ?? 'a removed source')
}

/** Grants by the names of their sources. */
export function bySource<G extends GrantWithTerms>(grants: readonly G[], vocabulary: Vocabulary): G[] {
  const nameOf = (grant: G) => sourceNames(grant, vocabulary).join(', ')
  return grants.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b), 'en'))
}

/** What a grant gives access to: each kind of record with its limits. */
export function grantWords({ grant }: GrantWithTerms, vocabulary: Vocabulary, times: Times): Html {
  if (!grant) return html`<p class="soft">It was made before an upgrade and gives no access.</p>`
  return html`<ul class="plain">${grant.streams.map(
    stream =>
      html`<li>${vocabulary.labels.get(stream.name) ?? humanName(stream.name)}: <span class="soft">${limits(stream, vocabulary, times)}</span></li>`,
  )}</ul>`
}

/** Since when, until when and for what purpose. */
export function termWords(
  { grant, created_at, expires_at, access_mode }: GrantWithTerms,
  times: Times,
): string {
  const end = expires_at === null ? 'without an end' : `until ${times.day(expires_at)}`
  const told = [
    `Since ${times.day(created_at)}`,
    access_mode === 'single_use' ? 'for a single use of at most an hour' : end,
  ]
  if (!grant) return `${told.join(', ')}.`
  const { purpose_code, purpose_description, retention } = grant
  const kept = retention
    ? ` It says it will ${retention.on_expiry} the data after ${durationText(retention.max_duration)}.`
    : ''
  return `${told.join(', ')}. Purpose: ${purposeText(purpose_code, purpose_description ?? null)}.${kept}`
}

function limits(
  { name, instance_ids, fields, time_constraint, resources }: GrantedStream,
  vocabulary: Vocabulary,
  times: Times,
): string {
  const all = Math.max(0, ...instance_ids.map(id => vocabulary.fields.get(`${id} ${name}`) ?? 0))
  const told = [
    fields.length >= all && all > 0 ? 'all fields' : `only ${listed(fields.map(humanName), 8)}`,
    ...(time_constraint?.since ? [`from ${times.at(time_constraint.since)}`] : []),
    ...(time_constraint?.until ? [`before ${times.at(time_constraint.until)}`] : []),
    ...(resources ? [`only ${counted(resources.length, 'chosen record')}`] : []),
  ]
  return told.join(', ')
}
