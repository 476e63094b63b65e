import { type CodedError, invalidRequest } from './errors.ts'
import { instantKey, instantMs, instantText, isoText, TimeZone } from './time.ts'
import { type Days, monthsFrom, namedDays, plusDays, plusMonths, writtenDate } from './written-dates.ts'

/** The current time, and the zone in which days begin. */
export interface Calendar {
  zone: TimeZone
  now: Date
}

/** Instants; `until` is excluded. */
export interface Bounds {
  since?: string
  until?: string
}

const EXAMPLES =
  'Examples: 2015, 2015-08, 2015-08-02, 2015-Q3, August 2015, 2 August 2015, 2015-08-02T12:00:00Z, today, yesterday, tomorrow, last week, last Friday, last weekend, this month, next month, summer 2015, last week of May 2015, -30d, -2w, -3m, -1y'

/** The instant, in UTC, at which `since` starts: the start of the day, month or year that it names. */
export function sinceInstant(text: string, calendar: Calendar): string {
  const days = daysOf(text, calendar)
  return days === null ? exactInstant(text, calendar, 'since') : startOf(days.first, calendar)
}

/** The instant, in UTC, at which `until` ends: the end of the day, month or year that it names. */
export function untilInstant(text: string, calendar: Calendar): string {
  // `-30d` is a day, `last 30 days` are all of them.
  const ago = text.trim().startsWith('-') ? daysAgo(text.trim(), calendar) : null
  if (ago !== null) return startOf(ago, calendar)
  const days = daysOf(text, calendar)
  return days === null ? exactInstant(text, calendar, 'until') : startOf(days.after, calendar)
}

/** Whether a text names a time in one of the forms of a bound. */
export function isTime(text: string): boolean {
  try {
    return sinceInstant(text, { zone: new TimeZone('UTC'), now: new Date(0) }) !== ''
  } catch {
    return false
  }
}

function startOf(day: string, { zone }: Calendar): string {
  return isoText(zone.startOfDay(day)).replace('.000Z', 'Z')
}

/** The span of days that a text names; null if it names a time instead. */
function daysOf(text: string, calendar: Calendar): Days | null {
  const trimmed = text.trim().toLowerCase()
  const date = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(writtenDate(trimmed) ?? trimmed)
  if (date) return calendarDays(date, text)
  const today = calendar.zone.dayOf(calendar.now.getTime())
  const named = namedDays(trimmed, today)
  if (named !== null) return named
  const first = daysAgo(trimmed, calendar)
  return first === null ? null : { first, after: plusDays(today, 1) }
}

function calendarDays([, year = '', month, day]: RegExpExecArray, text: string): Days {
  const first = `${year}-${month ?? '01'}-${day ?? '01'}`
  if (instantKey(first) === null) throw unclear(text)
  if (day !== undefined) return { first, after: plusDays(first, 1) }
  return monthsFrom(first, month === undefined ? 12 : 1)
}

/** The first of the last N days, weeks, months or years, including today; null if the text does not have that form. */
function daysAgo(text: string, { zone, now }: Calendar): string | null {
  const short = text.toLowerCase().replace(/^last (\d+) (d|w|m|y)(?:ay|eek|onth|ear)s?$/, '-$1$2')
  const [, digits, unit] = /^-(\d{1,4})([dwmy])$/.exec(short) ?? []
  if (digits === undefined) return null
  const count = Number(digits)
  const today = zone.dayOf(now.getTime())
  if (unit === 'd') return plusDays(today, 1 - count)
  if (unit === 'w') return plusDays(today, 1 - 7 * count)
  return plusDays(plusMonths(today, -count * (unit === 'm' ? 1 : 12)), 1)
}

/** A date-time without an offset is in the local time of the zone. */
function exactInstant(text: string, { zone }: Calendar, param: string): string {
  const trimmed = text.trim()
  const key = instantKey(trimmed)
  if (key !== null) return instantText(key)
  const local = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?$/i.exec(trimmed)
  const clock = local && `${local[1]}T${local[2]}${local[3] ?? ':00'}`
  if (!clock || instantKey(`${clock}Z`) === null) throw unclear(text, param)
  return isoText(zone.instantOf(clock)).replace('.000Z', 'Z')
}

function unclear(text: string, param?: string): CodedError {
  const message = `"${text.slice(0, 60)}" is not a time. ${EXAMPLES}.`
  return invalidRequest(message, param)
}

/** A bound in its shortest form: a date if it is the start of a day. */
export function boundText(instant: string, zone: TimeZone): string {
  const at = instantMs(instant)
  const day = zone.dayOf(at)
  return zone.startOfDay(day) === at ? day : zone.localText(at)
}

/** How bounds were interpreted, for a reader; empty if there are none. */
export function boundsNotes(
  { since, until }: { [Bound in keyof Bounds]: string | undefined },
  zone: TimeZone,
): string[] {
  if (since === undefined && until === undefined) return []
  const range = [
    ...(since === undefined ? [] : [`from ${boundText(since, zone)}`]),
    ...(until === undefined ? [] : [`before ${boundText(until, zone)}`]),
  ]
  return [`Time: ${range.join(', ')} (${zone.name}).`]
}

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
