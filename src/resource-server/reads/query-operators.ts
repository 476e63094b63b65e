import { ROLE_OPERATORS, type RoleOperator, type RoleRequest } from '../../model/reading/role-condition.ts'
import { type Calendar, sinceInstant, untilInstant } from '../../model/reading/time-bounds.ts'
import type { SearchQuery } from '../../model/search/search-query.ts'
import { instantKey } from '../../model/time.ts'
import { TimeZone } from '../../model/time-zone.ts'
import type { RequestContext } from '../request/context.ts'
import { type Narrowing, roleRequests } from './selection.ts'

/** What a search is narrowed to, by its parameters and by the operators in its query. */
export interface SearchNarrowing {
  requests: RoleRequest[]
  /** Instant keys; `until` is excluded. */
  since: string | undefined
  until: string | undefined
}

type Narrowed = RequestContext & {
  readonly parameters: Partial<Narrowing> & { readonly time_zone?: string | undefined }
}

/** Days, months and years in a query are those of `time_zone`, or of UTC. */
export function narrowingOf({ parameters, now }: Narrowed, { operators }: SearchQuery): SearchNarrowing {
  const calendar: Calendar = { zone: new TimeZone(parameters.time_zone ?? 'UTC'), now }
  const requests = roleRequests(parameters)
  const since = [parameters.since]
  const until = [parameters.until]
  for (const { name, value } of operators) {
    if (ROLE_OPERATORS.includes(name as RoleOperator)) {
      requests.push({ operator: name as RoleOperator, value })
      continue
    }
    if (name === 'since' || name === 'after' || name === 'on') since.push(key(sinceInstant(value, calendar)))
    if (name === 'until' || name === 'on') until.push(key(untilInstant(value, calendar)))
    if (name === 'before') until.push(key(sinceInstant(value, calendar)))
  }
  return { requests, since: given(since).at(-1), until: given(until)[0] }
}

function key(instant: string): string | undefined {
  return instantKey(instant) ?? undefined
}

function given(keys: readonly (string | undefined)[]): string[] {
  return keys.filter(each => each !== undefined).sort()
}
