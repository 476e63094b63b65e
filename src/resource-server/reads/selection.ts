import type { NARROWING } from '../../api/list.ts'
import { assertFewConditions, type Value, type Warning } from '../../api/parameter.ts'
import { grantsField, type Source } from '../../model/access/enforce.ts'
import { searchedFields } from '../../model/declaration/declaration.ts'
import { type AskedCondition, selectSources } from '../../model/reading/filter.ts'
import {
  type LeftOut,
  ROLE_OPERATORS,
  type RoleOperator,
  type RoleRequest,
  selectByRoles,
  selectByTime,
} from '../../model/reading/role-condition.ts'
import { lacksWords } from '../../model/search/index-version.ts'
import type { Correction } from '../../model/search/misspelt-words.ts'
import type { AskedListing, AskedTime } from '../../model/search/query-dates.ts'
import type { SearchQuery } from '../../model/search/search-query.ts'
import { someNames } from '../../model/some-names.ts'
import { instantKey, TimeZone } from '../../model/time.ts'
import {
  type Calendar,
  type KeyBounds,
  narrowedBounds,
  type TimeBounds,
  timeBounds,
} from '../../model/time-bounds.ts'
import { outdatedIndexes } from '../../store/ingest/reindex.ts'
import type { Selection } from '../../store/records/scan.ts'
import type { HitHead } from '../../store/search/hits.ts'
import type { RequestContext } from '../request/context.ts'

type Narrowing = { readonly [Name in keyof typeof NARROWING]: Value<(typeof NARROWING)[Name]> }

/** The fields of a source that may be searched. */
export function openTexts(source: Source): string[] {
  return searchedFields(source.stream).filter(field => grantsField(source, field))
}

/**
 * The sources that a request reads after its filter, operators and time bounds. Adds warnings about what they leave
 * out.
 */
export function select(
  context: Narrowed,
  sources: Source[],
  conditions: readonly AskedCondition[],
  { requests, bounds }: Pick<SearchNarrowing, 'requests' | 'bounds'> = narrowingOf(context),
): Selection {
  const { isOwner, owner_id, env } = context
  const { ownNames = [] } = env.settings
  const filtered = selectSources(sources, conditions, isOwner)
  const byRole = selectByRoles(filtered, requests, { isOwner, ownNames })
  const byTime = selectByTime(byRole.parts, bounds, isOwner)
  for (const left of [...byRole.leftOut, ...byTime.leftOut]) noteLeftOut(context, left)
  return { owner_id, parts: byTime.parts }
}

/** What needs the time of a record. */
const TIMES: readonly string[] = ['order', 'since', 'until']

/** Warns how many readable streams were left out, and says nothing more about them. */
export function noteLeftOut(
  { warnings, env }: RequestContext,
  { operator, own, streams, all }: LeftOut,
): void {
  const [have, them] =
    streams === 1 ? ['1 readable stream has', 'it'] : [`${streams} readable streams have`, 'them']
  const field =
    own && operator !== 'to'
      ? 'mark of what the owner wrote'
      : TIMES.includes(operator)
        ? 'time'
        : `field for ${operator}`
  const message = all
    ? `No readable stream has a ${field}, so nothing can match.`
    : `${have} no ${field}, so nothing in ${them} can match.`
  const isNameless = own && (env.settings.ownNames ?? []).length === 0
  const remedy = isNameless ? ' The owner can enter their names and addresses in Settings.' : ''
  const detail = { streams, ...(isNameless && { own_names: false }) }
  warnings.push({ code: 'streams_left_out', message: message + remedy, param: operator, detail })
}

const MOST_FOREIGN = 5
const LONGEST_FOREIGN = 40
const ONE_SOURCE = ' To search one source or stream, use connector, connection_id or streams.'

/** Warns about the parts of a query that look like operators but are not operators here. */
export function noteForeign({ warnings }: RequestContext, { foreign }: SearchQuery): void {
  if (foreign.length === 0) return
  const words = foreign.slice(0, MOST_FOREIGN).map(word => word.slice(0, LONGEST_FOREIGN))
  const isSource = foreign.some(word => /^(?:source|site|app|connector|stream):/i.test(word))
  const told = words.map(word => `“${word}”`).join(', ')
  const message = `Not an operator here, so searched as words: ${told}.${isSource ? ONE_SOURCE : ''}`
  warnings.push({ code: 'operator_unknown', message, param: 'q', detail: { words } })
}

const MOST_UNKNOWN = 5

type FromSources = RequestContext & {
  readonly parameters: { [Name in 'streams' | 'connection_id' | 'connector']?: string[] | undefined }
}

/**
 * Warns which words no record contains, and what was searched for in place of misspelt ones. Other sources than those that
 * were chosen may contain them.
 */
export function noteCorrections(
  { warnings, parameters }: FromSources,
  corrections: readonly Correction[],
): void {
  const { streams, connection_id, connector } = parameters
  const isPart = (streams ?? connection_id ?? connector) !== undefined
  const none = isPart ? 'No record in the searched sources contains' : 'No readable record contains'
  const unknown: string[] = []
  for (const { written, taken } of corrections) {
    if (taken === null) {
      unknown.push(written)
      continue
    }
    const message = `${none} “${written}”. “${taken}” was searched for instead.`
    warnings.push({ code: 'word_corrected', message, param: 'q', detail: { written, taken } })
  }
  // An index that is being rebuilt may lack words that records contain.
  if (unknown.length === 0 || warnings.some(({ code }) => code === 'index_rebuilding')) return
  const words = someNames(
    unknown.map(word => `“${word}”`),
    MOST_UNKNOWN,
  )
  const message = `${none} ${unknown.length > 1 ? 'any of ' : ''}${words}.`
  warnings.push({ code: 'words_unknown', message, param: 'q', detail: { words: unknown } })
}

/**
 * The sources whose records decide whether a word is misspelt. If the query has words that may be, the response depends on
 * the text of these sources.
 */
export function spellingSources(
  context: RequestContext,
  sources: readonly Source[],
  { spelled }: SearchQuery,
): Source[] {
  const readable = sources.filter(({ stream }) => searchedFields(stream).length > 0)
  if (spelled.length > 0) for (const source of readable) context.decideBy(source, openTexts(source))
  return readable
}

const REBUILDING = 'The search index is being rebuilt. Until it is finished, some records may be missing.'

/**
 * Warns that the index of searched streams is incomplete for fields that the reader may search. Nothing is said about a
 * stream without visible records.
 */
export async function noteRebuilding(context: RequestContext, { parts }: Selection): Promise<void> {
  const { store, owner_id, catalog, warnings } = context
  const outdated = await outdatedIndexes(store.database, owner_id, catalog.connections)
  const streams = new Set<string>()
  for (const { connection_id, stream, version } of outdated) {
    const part = parts.find(
      ({ source }) => source.connection_id === connection_id && source.stream.name === stream,
    )
    if (!part || streams.has(stream) || !lacksWords(version, openTexts(part.source))) continue
    const visible = { owner_id, parts: [{ source: part.source, conditions: [] }] }
    if ((await context.scan('countRecords', visible)) > 0) streams.add(stream)
  }
  if (streams.size > 0)
    warnings.push({ code: 'index_rebuilding', message: REBUILDING, detail: { streams: [...streams].sort() } })
}

/** How a search is narrowed, by its parameters and by the operators in its query. */
export interface SearchNarrowing extends KeyBounds {
  requests: RoleRequest[]
  bounds: TimeBounds
}

type Narrowed = RequestContext & {
  readonly parameters: Partial<Narrowing> & { readonly time_zone?: string | undefined }
}

/**
 * Days, months and years in a query are those of `time_zone`, or of UTC. `now` is the time of the request: a cursor
 * is bound to the query, so the next page can be requested with the same one.
 */
export function narrowingOf(
  { parameters, now }: Narrowed,
  given: SearchQuery['operators'] = [],
): SearchNarrowing {
  const operators = given.map(each => (each.value === NOW ? { ...each, value: now.toISOString() } : each))
  const calendar = calendarOf(parameters.time_zone, now)
  const asked = ROLE_OPERATORS.flatMap(operator =>
    (parameters[operator] ?? []).map(value => ({ operator, value })),
  )
  const written = operators.flatMap(({ name, value }) =>
    ROLE_OPERATORS.includes(name as RoleOperator) ? [{ operator: name as RoleOperator, value }] : [],
  )
  const requests = [...asked, ...written]
  assertFewConditions(requests.length, requests.at(-1)?.operator ?? '')
  const keys = narrowedBounds(parameters, operators, calendar)
  return { requests, ...keys, bounds: timeBounds(keys, calendar.zone) }
}

const NOW = 'now'

export function calendarOf(time_zone: string | undefined, now: Date): Calendar {
  return { zone: new TimeZone(time_zone ?? 'UTC'), now }
}

/**
 * A query such as "what happened on 9 June 2015" finds its words, not the day. If it names one time and no hit is from
 * then, the warning says how to list everything that is.
 */
export function timeWarnings(times: readonly AskedTime[], hits: readonly { head: HitHead }[]): Warning[] {
  const [time, ...others] = times
  const instants = hits.flatMap(({ head: { occurred_at } }) => occurred_at ?? [])
  if (!time || others.length > 0 || instants.length === 0) return []
  if (instants.some(instant => isIn(time, instant))) return []
  const operator = `on:${/\s/.test(time.name) ? `"${time.name}"` : time.name}`
  const message = `No hit of this page is from ${time.name}. To list what is, search for ${operator} alone.`
  return [{ code: 'time_not_found', message, param: 'q', detail: { instead: operator } }]
}

/** Says that a question for a time, or for what is new, is answered by a list: of which streams, if it names them. */
export function listed({ told }: AskedListing, named: readonly Source[] | null): Warning {
  const streams = named && [...new Set(named.map(({ stream }) => stream.name))].sort()
  const where = streams ? ` in ${someNames(streams, MOST_STREAMS)}` : ''
  const message = `The query asks for no particular words, so what is ${told}${where} is listed. To find words, quote them.`
  return { code: 'time_listed', message, param: 'q', ...(streams && { detail: { streams } }) }
}

const MOST_STREAMS = 3

function isIn({ since, until }: AskedTime, instant: string): boolean {
  const key = `t${instantKey(instant)}`
  return key >= since && key < until
}
