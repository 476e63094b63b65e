import { type KeyBounds, narrowedBounds } from '../../model/reading/operator-bounds.ts'
import { ROLE_OPERATORS, type RoleOperator, type RoleRequest } from '../../model/reading/role-condition.ts'
import { type TimeBounds, timeBounds } from '../../model/reading/time-bound.ts'
import type { SearchQuery } from '../../model/search/search-query.ts'
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
