import type { Warning } from '../../api/parameter.ts'
import type { AskedTime } from '../../model/search/query-dates.ts'
import type { HitHead } from '../../model/search/search-hit.ts'
import { instantKey } from '../../model/time.ts'

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
