import type { Warning } from '../../api/parameter.ts'
import { ROLE_OPERATORS, type RoleOperator, type RoleRequest } from '../../model/reading/role-condition.ts'
import {
  type KeyBounds,
  narrowedBounds,
  type TimeBounds,
  timeBounds,
} from '../../model/reading/time-bound.ts'
import type { AskedTime } from '../../model/search/query-dates.ts'
import type { HitHead } from '../../model/search/search-hit.ts'
import type { SearchQuery } from '../../model/search/search-query.ts'
import { instantKey } from '../../model/time.ts'
import type { Calendar } from '../../model/time-bounds.ts'
import { TimeZone } from '../../model/time-zone.ts'
import type { RequestContext } from '../request/context.ts'
import { type Narrowing, roleRequests } from './selection.ts'

/** How a search is narrowed, by its parameters and by the operators in its query. */
export interface SearchNarrowing extends KeyBounds {
  requests: RoleRequest[]
  bounds: TimeBounds
}

type Narrowed = RequestContext & {
  readonly parameters: Partial<Narrowing> & { readonly time_zone?: string | undefined }
}

/** A query without operators. */
export const NO_OPERATORS = { operators: [] }

/** Days, months and years in a query are those of `time_zone`, or of UTC. */
export function narrowingOf(
  { parameters, now }: Narrowed,
  { operators }: Pick<SearchQuery, 'operators'>,
): SearchNarrowing {
  const calendar = calendarOf(parameters.time_zone, now)
  const requests = operators.flatMap(({ name, value }) =>
    ROLE_OPERATORS.includes(name as RoleOperator) ? [{ operator: name as RoleOperator, value }] : [],
  )
  const keys = narrowedBounds(parameters, operators, calendar)
  return {
    requests: [...roleRequests(parameters), ...requests],
    ...keys,
    bounds: timeBounds(keys, calendar.zone),
  }
}

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

function isIn({ since, until }: AskedTime, instant: string): boolean {
  const key = `t${instantKey(instant)}`
  return key >= since && key < until
}
