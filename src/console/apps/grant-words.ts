import { html } from 'hono/html'
import type { GrantedStream } from '../../model/access/grant.ts'
import { AGENT_CONTEXT, durationText, purposeText } from '../../model/access/purpose.ts'
import { counted } from '../../model/amounts.ts'
import type { Html } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { humanName, listed } from '../../pages/words.ts'
import { kindsText, type Vocabulary } from '../vocabulary.ts'
import { connectionsOf, type GrantWithTerms } from './app-access.ts'

/** The names of the sources that a grant gives access to. */
export function sourceNames(grant: GrantWithTerms, { sources }: Vocabulary): string[] {
  return connectionsOf(grant).map(id => sources.get(id) ?? 'a removed source')
}

/** Grants by the names of their sources. */
export function bySource<G extends GrantWithTerms>(grants: readonly G[], vocabulary: Vocabulary): G[] {
  const nameOf = (grant: G) => sourceNames(grant, vocabulary).join(', ')
  return grants.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b), 'en'))
}

/** What a grant gives access to: the kinds of records with their limits, those with the same limits together. */
export function grantWords({ grant }: GrantWithTerms, vocabulary: Vocabulary, times: Times): Html {
  if (!grant) return html`<p class="soft">It was made before an upgrade and gives no access.</p>`
  const byLimits = Map.groupBy(grant.streams, stream => limits(stream, vocabulary, times))
  return html`<ul class="plain">${[...byLimits].map(
    ([told, streams]) =>
      html`<li>${kindsText(
        streams.map(({ name }) => name),
        vocabulary,
      )}: <span class="soft">${told}</span></li>`,
  )}</ul>`
}

/** The kinds of records alone. */
export function kindWords({ grant }: GrantWithTerms, vocabulary: Vocabulary): Html {
  return html`<p>${kindsText(
    (grant?.streams ?? []).map(({ name }) => name),
    vocabulary,
  )}</p>`
}

/**
 * The limits of a grant to everything in its sources: every field of every kind, at all times or between the same
 * bounds. Null if something else is left out. Kinds without times are not a part of a grant with bounds.
 */
export function wholeWords({ grant }: GrantWithTerms, vocabulary: Vocabulary, times: Times): string | null {
  const [first] = grant?.streams ?? []
  if (!grant || !first) return null
  const bounds = boundWords(first, times).join(', ')
  const isWhole = grant.streams.every(
    stream =>
      hasAllFields(stream, vocabulary) &&
      !stream.resources &&
      boundWords(stream, times).join(', ') === bounds,
  )
  const isOpen = (id: string, name: string) =>
    grant.streams.some(stream => stream.name === name && stream.instance_ids.includes(id))
  const isAll = connectionsOf({ grant }).every(id =>
    vocabulary.streams
      .get(id)
      ?.every(name => isOpen(id, name) || (bounds !== '' && !vocabulary.timed.has(name))),
  )
  return isWhole && isAll ? `all fields, ${bounds || 'all time'}` : null
}

/** Since when, until when and for what purpose; that of every assistant is said only if all is wanted. */
export function termWords(
  { grant, created_at, expires_at, access_mode }: GrantWithTerms,
  times: Times,
  isAll = false,
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
  const isTold = isAll || purpose_code !== AGENT_CONTEXT || purpose_description
  const purpose = isTold ? ` Purpose: ${purposeText(purpose_code, purpose_description)}.` : ''
  return `${told.join(', ')}.${purpose}${kept}`
}

function limits(stream: GrantedStream, vocabulary: Vocabulary, times: Times): string {
  const { fields, resources } = stream
  const told = [
    hasAllFields(stream, vocabulary) ? 'all fields' : `only ${listed(fields.map(humanName), 8)}`,
    ...boundWords(stream, times),
    ...(resources ? [`only ${counted(resources.length, 'chosen record')}`] : []),
  ]
  return told.join(', ')
}

function hasAllFields({ name, instance_ids, fields }: GrantedStream, vocabulary: Vocabulary): boolean {
  const all = Math.max(0, ...instance_ids.map(id => vocabulary.fields.get(`${id} ${name}`) ?? 0))
  return fields.length >= all && all > 0
}

function boundWords({ time_constraint }: GrantedStream, times: Times): string[] {
  return [
    ...(time_constraint?.since ? [`from ${times.at(time_constraint.since)}`] : []),
    ...(time_constraint?.until ? [`before ${times.at(time_constraint.until)}`] : []),
  ]
}
