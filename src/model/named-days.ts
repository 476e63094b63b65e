import { MONTH, monthOf, YEAR } from './written-dates.ts'

/** Two dates, such as `2026-01-31`: the first day in the span, and the first day after it. */
export interface Days {
  first: string
  after: string
}

const DAY_MS = 24 * 60 * 60_000
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
/** The first month of each season, as north of the equator. Winter is in two years, so it is not understood. */
const SEASONS: Record<string, number> = { spring: 3, summer: 6, autumn: 9, fall: 9 }

/** Patterns of spans that a question may name too. */
export const SEASON = `(${Object.keys(SEASONS).join('|')})`
export const WEEK_OF_MONTH = `(first|last)\\s+week\\s+(?:of|in)\\s+${MONTH},?\\s+(?:of\\s+)?${YEAR}`
export const SEASON_OF_YEAR = `${SEASON},?\\s+(?:of\\s+)?${YEAR}`
export const WEEKEND_OR_WEEKDAY = `(?:last|this|next) weekend|last (?:${WEEKDAYS.join('|')})`
export const LAST_OR_THIS_SEASON = `(?:last|this) ${SEASON.replace('(', '(?:')}`

const IN_MONTH = new RegExp(`^${WEEK_OF_MONTH}$`, 'iu')
const IN_YEAR = new RegExp(`^(?:the\\s+)?${SEASON_OF_YEAR}$`, 'iu')
const RELATIVE_SEASON = new RegExp(`^(last|this) ${SEASON}$`)
/** As buckets of a quarter are named, and as people write it. */
const QUARTER = /^(?:(?<year>\d{4})-?q(?<quarter>[1-4])|q(?<quarter>[1-4])(?: of)? (?<year>\d{4}))$/

/** The days that words such as `last week` or `summer 2015` name, in lower case; null for other words. */
export function namedDays(words: string, today: string): Days | null {
  const { year, quarter } = QUARTER.exec(words)?.groups ?? {}
  if (year !== undefined) return monthsFrom(monthOfYear(year, 3 * Number(quarter) - 2), 3)
  if (words === 'today') return { first: today, after: plusDays(today, 1) }
  if (words === 'yesterday') return { first: plusDays(today, -1), after: today }
  if (words === 'tomorrow') return { first: plusDays(today, 1), after: plusDays(today, 2) }
  const [, which, unit] = /^(last|this|next) (week|month|quarter|year|weekend)$/.exec(words) ?? []
  if (which !== undefined) return unitDays(unit as Unit, OFFSETS[which as keyof typeof OFFSETS], today)
  const weekday = WEEKDAYS.indexOf(words.replace(/^last /, ''))
  if (weekday >= 0 && words.startsWith('last ')) {
    const first = plusDays(today, -(((weekdayOf(today) - weekday + 6) % 7) + 1))
    return { first, after: plusDays(first, 1) }
  }
  const [, lastOrThis, named = ''] = RELATIVE_SEASON.exec(words) ?? []
  if (lastOrThis !== undefined) return seasonNear(today, SEASONS[named] ?? 1, lastOrThis === 'last')
  const [, season = '', ofYear] = IN_YEAR.exec(words) ?? []
  if (ofYear !== undefined) return monthsFrom(monthOfYear(ofYear, SEASONS[season.toLowerCase()] ?? 1), 3)
  const [, end, month, inYear] = IN_MONTH.exec(words) ?? []
  if (inYear === undefined) return null
  const { first, after } = monthsFrom(monthOfYear(inYear, monthOf(month)), 1)
  return end === 'first' ? { first, after: plusDays(first, 7) } : { first: plusDays(after, -7), after }
}

type Unit = 'week' | 'month' | 'quarter' | 'year' | 'weekend'
const OFFSETS = { last: -1, this: 0, next: 1 }
const MONTHS = { month: 1, quarter: 3, year: 12 }

/**
 * The calendar week, weekend, month, quarter or year of a day, or one with the given offset. Weeks begin on Monday, and
 * a weekend is the end of its week.
 */
function unitDays(unit: Unit, offset: number, day: string): Days {
  if (unit === 'week' || unit === 'weekend') {
    const monday = plusDays(day, -weekdayOf(day) + 7 * offset)
    return { first: unit === 'week' ? monday : plusDays(monday, 5), after: plusDays(monday, 7) }
  }
  const months = MONTHS[unit]
  const before = (Number(day.slice(5, 7)) - 1) % months
  return monthsFrom(plusMonths(`${day.slice(0, 7)}-01`, offset * months - before), months)
}

/** The season of this year; as the last one, the latest that has ended. */
function seasonNear(today: string, month: number, hasEnded: boolean): Days {
  const year = Number(today.slice(0, 4))
  const ofYear = monthsFrom(monthOfYear(String(year), month), 3)
  return hasEnded && ofYear.after > today ? monthsFrom(monthOfYear(String(year - 1), month), 3) : ofYear
}

/** 0 is Monday. */
function weekdayOf(day: string): number {
  return (new Date(day).getUTCDay() + 6) % 7
}

function monthOfYear(year: string, month: number): string {
  return `${year}-${String(month).padStart(2, '0')}-01`
}

export function monthsFrom(first: string, months: number): Days {
  return { first, after: plusMonths(first, months) }
}

export function plusDays(day: string, days: number): string {
  return dayOf(Date.parse(day) + days * DAY_MS)
}

/** The same day of another month, or that month's last day. */
export function plusMonths(day: string, months: number): string {
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
