import { CodedError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import { type QueryOperator, quoteNames, quoteTimes } from '../../model/reading/query-operators.ts'
import { ROLE_OPERATORS } from '../../model/reading/role-condition.ts'
import { parseSearchQuery } from '../../model/search/search-query.ts'
import { instantKey, instantText } from '../../model/time.ts'
import { boundsNotes, narrowedBounds } from '../../model/time-bounds.ts'
import { text } from '../arguments.ts'
import { callText, quotedHead, word } from '../text/quote.ts'
import { boundsIn, type Narrowing, type Understood } from './narrowing.ts'

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
