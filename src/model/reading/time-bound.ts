import { instantKey, instantMs, instantText } from '../time.ts'
import { type Calendar, sinceInstant, untilInstant } from '../time-bounds.ts'
import type { TimeZone } from '../time-zone.ts'

/** Instant keys; `until` is excluded. */
export interface KeyBounds {
  since?: string | undefined
  until?: string | undefined
}

/** The bounds that satisfy both the request and the operators of its query: the latest start and the earliest end. */
export function narrowedBounds(
  given: KeyBounds,
  operators: readonly { name: string; value: string }[],
  calendar: Calendar,
): KeyBounds {
  const since = [given.since]
  const until = [given.until]
  for (const { name, value } of operators) {
    if (name === 'since' || name === 'after' || name === 'on')
      since.push(instantKey(sinceInstant(value, calendar)) ?? undefined)
    if (name === 'until' || name === 'on') until.push(instantKey(untilInstant(value, calendar)) ?? undefined)
    if (name === 'before') until.push(instantKey(sinceInstant(value, calendar)) ?? undefined)
  }
  return { since: sorted(since).at(-1), until: sorted(until)[0] }
}

function sorted(keys: readonly (string | undefined)[]): string[] {
  return keys.filter(key => key !== undefined).sort()
}

/** Where a range of time begins or ends, as a time key. */
export interface TimeBound {
  key: string
  /**
   * The key of the day that begins here, if the bound is later than it. Records that have only a date have midnight UTC
   * as their time. West of UTC their day begins later, and they still belong to it.
   */
  day?: string
}

/** A range of time; null where it is open. `until` is excluded. */
export interface TimeBounds {
  since: TimeBound | null
  until: TimeBound | null
}

export const UNBOUNDED: TimeBounds = { since: null, until: null }

/** The range between instant keys; days begin in the zone. */
export function timeBounds({ since, until }: KeyBounds, zone: TimeZone): TimeBounds {
  return {
    since: since === undefined ? null : timeBound(since, zone),
    until: until === undefined ? null : timeBound(until, zone),
  }
}

function timeBound(instant: string, zone: TimeZone): TimeBound {
  const at = instantMs(instantText(instant))
  const date = zone.dayOf(at)
  const [key, day] = [`t${instant}`, `t${date}T00:00:00.000000000Z`]
  return day < key && zone.startOfDay(date) === at ? { key, day } : { key }
}

/** Whether a time key is within a range. */
export function isWithin(time: string, { since, until }: TimeBounds): boolean {
  return (since === null || isFrom(time, since)) && (until === null || !isFrom(time, until))
}

/** Whether a time key is at a bound or after it. */
function isFrom(time: string, { key, day }: TimeBound): boolean {
  return time >= key || time === day
}
