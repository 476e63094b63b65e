import { CodedError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import { type QueryOperator, quoteNames, quoteTimes } from '../../model/reading/query-operators.ts'
import { ROLE_OPERATORS } from '../../model/reading/role-condition.ts'
import { parseSearchQuery } from '../../model/search/search-query.ts'
import { type AskedOrder, askedOrder } from '../../model/text/questions.ts'
import { instantKey, instantText } from '../../model/time.ts'
import { boundsNotes, narrowedBounds } from '../../model/time-bounds.ts'
import { text } from '../arguments.ts'
import { callText, quotedHead, word } from '../text/quote.ts'
import { sourcesCalled } from './meant-sources.ts'
import { boundsIn, type Narrowing, type Understood } from './narrowing.ts'
import { capabilitiesOf, type ResourceServerClient } from './resource-server-client.ts'
import { streamsOfEvents } from './stream-shape.ts'

/** A query without its times. */
export function withoutTimes(query: string): string {
  return quoteTimes(query)
    .replace(/(?<!\S)(?:before|after|on|since|until|newer_than|older_than):(?:"[^"]*"|[^\s"]+)/giu, ' ')
    .trim()
}

const MOST_TOGETHER = 8
const MOST_PART_BYTES = 40

/** A part of a query: a word, or a phrase in quotation marks. */
export function partText(part: string): string {
  return part.startsWith('"') ? quotedHead(part.slice(1, -1), MOST_PART_BYTES) : word(part, MOST_PART_BYTES)
}

/** Which words records had to contain, all of them: a question also has words that only ask. */
export function togetherNote(what: 'Listed' | 'Counted', parts: readonly string[]): string {
  const named = parts.slice(0, MOST_TOGETHER).map(partText)
  const more = parts.length > named.length ? [`${parts.length - named.length} more`] : []
  return `${what}: records that contain all of ${[...named, ...more].join(', ')}.`
}

/** The operators of a query that examine roles; `person` is a separate argument. */
const WRITTEN = ROLE_OPERATORS.filter(name => name !== 'person')

/** A longer call is not repeated. */
const MOST_CALL_BYTES = 200

/** The operators in the `query` of a list; words are refused, because only search finds them. */
export function operatorsOf(args: JsonObject): QueryOperator[] {
  const query = text(args, 'query')
  if (query === undefined) return []
  // Words can only be the rest of a name.
  for (const written of [query, quoteNames(quoteTimes(query))]) {
    const { clues, excluded, operators } = parseSearchQuery(written)
    if (clues.length === 0 && excluded.length === 0 && operators.length > 0) return operators
  }
  const known = [...WRITTEN, 'on', 'before', 'after'].map(name => `${name}:`).join(' ')
  const call = callText({ tool: 'search', args: searchArguments(args) })
  const instead = Buffer.byteLength(call) > MOST_CALL_BYTES ? '' : `: ${call}`
  const message = `query accepts only operators here: ${known}. Use search to find words${instead}.`
  throw new CodedError('invalid_request', message, { param: 'query' })
}

/** What search has too, by its names there. */
function searchArguments({ query, stream, order, ...args }: JsonObject): JsonObject {
  const { cursor: _, fields: __, changes_since: ___, count: ____, ...others } = args
  return {
    query: query ?? null,
    ...(stream === undefined ? {} : { streams: [stream] }),
    ...(order === undefined ? {} : { sort: order === 'asc' ? 'oldest' : 'newest' }),
    ...others,
  }
}

/** A narrowing with the operators of `query` added to it. */
export function narrowedByQuery(
  args: JsonObject,
  { narrowing, zone, notes }: Understood,
  capabilities: ReadonlySet<string>,
): Understood {
  const operators = operatorsOf(args)
  if (operators.length === 0) return { narrowing, zone, notes }
  if (!capabilities.has('operators')) {
    const message = 'This resource server does not support query here. Repeat the call without it.'
    throw new CodedError('invalid_request', message, { param: 'query' })
  }
  const narrowed = withOperators(narrowing, operators, zone)
  return {
    narrowing: narrowed,
    zone,
    notes: [...notes.filter(note => !note.startsWith('Time: ')), ...boundsNotes(narrowed, zone)],
  }
}

/** A narrowing with operators added to it; their times narrow its bounds. */
export function withOperators(
  { since: first, until: last, ...rest }: Narrowing,
  operators: readonly QueryOperator[],
  zone: Understood['zone'],
): Narrowing {
  const keys = {
    since: first === undefined ? undefined : (instantKey(first) ?? undefined),
    until: last === undefined ? undefined : (instantKey(last) ?? undefined),
  }
  const { since, until } = narrowedBounds(keys, operators, { zone, now: new Date() })
  const bounds = {
    ...(since === undefined ? {} : { since: instantText(since) }),
    ...(until === undefined ? {} : { until: instantText(until) }),
  }
  return { ...rest, ...roleValues(operators), ...boundsIn(bounds, zone, true) }
}

/** The values of each operator; if there are several, all must match. */
export function roleValues(operators: readonly QueryOperator[]): Narrowing {
  const found: Narrowing = {}
  for (const role of WRITTEN) {
    const values = operators.filter(({ name }) => name === role).map(({ value }) => value)
    if (values.length > 0) found[role] = values
  }
  return found
}

const SOURCES = ['connector', 'connection_id', 'streams'] as const
const INSTEAD = 'The words were searched for, because'
const ON_SOURCE = /^(.+?)\s+(?:on|in|via|from)\s+([^\s":]+?)[?.!]*$/i

/** A search that asks in words for an order or a person, with the arguments that ask for the same. */
export interface Reread {
  args: JsonObject
  told: string
  /** What to tell if that finds nothing. */
  missed: string
}

/** Null for a search that asks for no order and no person in words. */
export async function inAskedOrder(args: JsonObject, client: ResourceServerClient): Promise<Reread | null> {
  if (args.within !== undefined) return null
  const given = text(args, 'sort')
  if (given === 'relevance') return null
  const read = (query: string) => askedOrder(query, given as 'newest' | 'oldest' | undefined)
  const written = text(args, 'query') ?? ''
  const capabilities = await capabilitiesOf(client)
  if (!capabilities.has('search_sort') || !capabilities.has('operators')) return null
  const isChosen = SOURCES.some(name => args[name] !== undefined)
  const called = async (name: string | null | undefined) =>
    name && !isChosen && (await sourcesCalled(client, name)).length > 0 ? name : null
  const [, before = '', place] = ON_SOURCE.exec(written) ?? []
  const isRead = !isChosen && read(before) !== null
  const source = isRead ? await called(place) : null
  const asked = read(source === null ? written : before)
  if (!asked) return null
  const { query, sort, kind, events } = asked
  if (events !== undefined) return amongEvents(args, { query, sort, events }, client)
  const connector = source ?? (await called(kind))
  const what = `${query}${connector === null ? '' : ` in ${connector}`}`
  return {
    args: { ...args, query, ...(sort ? { sort } : {}), ...(connector === null ? {} : { connector }) },
    told: `${sort ? `Listed ${sort} first` : 'Searched for'}, as the query asks: ${what}. Pass sort relevance for ${sort ? 'the best hits' : 'its words'}.`,
    missed: `${INSTEAD} nothing that may be read matches ${what}.`,
  }
}

/** Events are in the streams whose records end; the next begins after now. Null if there are none, or a time is given. */
async function amongEvents(
  args: JsonObject,
  { query, sort, events }: Pick<AskedOrder, 'query' | 'sort'> & { events: 'after' | 'before' | 'at' },
  client: ResourceServerClient,
): Promise<Reread | null> {
  if (['since', 'until', ...SOURCES].some(name => args[name] !== undefined)) return null
  const streams = await streamsOfEvents(client)
  if (streams.length === 0) return null
  const bound = { after: ' since:now', before: ' before:now', at: '' }[events]
  const when = events === 'at' ? '' : ` ${events} now`
  const places = streams.join(', ')
  return {
    args: { ...args, query: `${query}${bound}`, sort: sort ?? 'oldest', streams },
    told: `Listed${when}: ${query} in ${places}. Recurring events are listed by their first time.`,
    missed: `${INSTEAD} there is nothing${when} in ${places}${query === '*' ? '' : ` for ${query}`}.`,
  }
}
