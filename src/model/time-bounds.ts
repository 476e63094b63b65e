import { CodedError } from './errors.ts'
import { instantKey, instantMs, instantText, isoText } from './time.ts'
import { TimeZone } from './time-zone.ts'
import { writtenDate } from './written-dates.ts'

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

/** Two dates, such as `2026-01-31`: the first day in the span, and the first day after it. */
interface Days {
  first: string
  after: string
}

const DAY_MS = 24 * 60 * 60_000
const EXAMPLES =
  'Examples: 2015, 2015-08, 2015-08-02, 2015-Q3, August 2015, 2 August 2015, 2015-08-02T12:00:00Z, today, yesterday, tomorrow, last week, this month, next month, -30d, -2w, -3m, -1y'

/** The instant, in UTC, at which `since` starts: the start of the day, month or year that it names. */
export function sinceInstant(text: string, calendar: Calendar): string {
  const days = daysOf(text, calendar)
  return days === null ? exactInstant(text, calendar, 'since') : startOf(days.first, calendar)
}

/** The instant, in UTC, at which `until` ends: the end of the day, month or year that it names. */
export function untilInstant(text: string, calendar: Calendar): string {
  const ago = daysAgo(text.trim(), calendar)
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
  const { year, quarter } = QUARTER.exec(trimmed)?.groups ?? {}
  if (year !== undefined)
    return monthsFrom(`${year}-${String(3 * Number(quarter) - 2).padStart(2, '0')}-01`, 3)
  const today = calendar.zone.dayOf(calendar.now.getTime())
  if (trimmed === 'today') return { first: today, after: plusDays(today, 1) }
  if (trimmed === 'yesterday') return { first: plusDays(today, -1), after: today }
  if (trimmed === 'tomorrow') return { first: plusDays(today, 1), after: plusDays(today, 2) }
  const [, which, unit] = /^(last|this|next) (week|month|quarter|year)$/.exec(trimmed) ?? []
  if (which !== undefined) return unitDays(unit as Unit, OFFSETS[which as keyof typeof OFFSETS], today)
  const first = daysAgo(trimmed, calendar)
  return first === null ? null : { first, after: plusDays(today, 1) }
}

function calendarDays([, year = '', month, day]: RegExpExecArray, text: string): Days {
  const first = `${year}-${month ?? '01'}-${day ?? '01'}`
  if (instantKey(first) === null) throw unclear(text)
  if (day !== undefined) return { first, after: plusDays(first, 1) }
  return monthsFrom(first, month === undefined ? 12 : 1)
}

type Unit = 'week' | 'month' | 'quarter' | 'year'
const OFFSETS = { last: -1, this: 0, next: 1 }

/** As buckets of a quarter are named, and as people write it. */
const QUARTER = /^(?:(?<year>\d{4})-?q(?<quarter>[1-4])|q(?<quarter>[1-4])(?: of)? (?<year>\d{4}))$/
const MONTHS = { month: 1, quarter: 3, year: 12 }

/** The calendar week, month, quarter or year of a day, or one with the given offset. Weeks begin on Monday. */
function unitDays(unit: Unit, offset: number, day: string): Days {
  if (unit === 'week') {
    const monday = plusDays(day, -((new Date(day).getUTCDay() + 6) % 7) + 7 * offset)
    return { first: monday, after: plusDays(monday, 7) }
  }
  const months = MONTHS[unit]
  const before = (Number(day.slice(5, 7)) - 1) % months
  return monthsFrom(plusMonths(`${day.slice(0, 7)}-01`, offset * months - before), months)
}

function monthsFrom(first: string, months: number): Days {
  return { first, after: plusMonths(first, months) }
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

function plusDays(day: string, days: number): string {
  return dayOf(Date.parse(day) + days * DAY_MS)
}

/** The same day of another month, or that month's last day. */
function plusMonths(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const last = new Date(utcDay(year, month + months, 0)).getUTCDate()
  return dayOf(utcDay(year, month - 1 + months, Math.min(date, last)))
}

/** `Date.UTC` takes the years 0 to 99 for those of the last century. */
function utcDay(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day)
}

/** The year may have more than four digits here, or a sign. */
function dayOf(ms: number): string {
  return new Date(ms).toISOString().replace(/T.*/, '')
}

function unclear(text: string, param?: string): CodedError {
  const message = `"${text.slice(0, 60)}" is not a time. ${EXAMPLES}.`
  return new CodedError('invalid_request', message, param === undefined ? {} : { param })
}

/** A bound in its shortest form: a date if it is the start of a day. */
export function boundText(instant: string, zone: TimeZone): string {
  const at = instantMs(instant)
  const day = zone.dayOf(at)
  return zone.startOfDay(day) === at ? day : zone.localText(at)
}

/** How bounds were interpreted, for a reader; empty if there are none. */
export function boundsNotes({ since, until }: Bounds, zone: TimeZone): string[] {
  if (since === undefined && until === undefined) return []
  const range = [
    ...(since === undefined ? [] : [`from ${boundText(since, zone)}`]),
    ...(until === undefined ? [] : [`before ${boundText(until, zone)}`]),
  ]
  return [`Time: ${range.join(', ')} (${zone.name}).`]
}
