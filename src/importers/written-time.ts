import { timesOfWallClock, timesOfWallClockIn, type WallClock } from './times.ts'

/** A time as a person or a program wrote it. */
export interface WrittenTime {
  utc: string
  /** The local time; with an offset only if one is written. */
  local: string
  precision: 'day' | 'time'
  hasZone: boolean
}

/** The order of day and month in 03/04/2024; null if it is unknown, in which case such a date is not parsed. */
export type DayOrder = 'day-first' | 'month-first' | null

const TIME =
  '(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2})(?:[.,](?<fraction>\\d{1,9}))?)?\\s*(?<half>[ap]\\.?m\\.?)?\\s*(?<zone>Z|UTC|GMT|[+-]\\d{2}:?\\d{2}|[+-]\\d{2})?'
const AFTER_DATE = `(?:(?:T|,?\\s+(?:at\\s+)?)${TIME})?`
const YEAR = '(?<year>\\d{4})'
const DAY = '(?<day>\\d{1,2})'
const MONTH = '(?<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?'
const WEEKDAY = '(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\\.?,?\\s+)?'
const NUMBERS = new RegExp(
  `^(?<first>\\d{1,2})(?<between>[/.-])(?<next>\\d{1,2})\\k<between>(?<year>\\d{4}|\\d{2})${AFTER_DATE}$`,
  'i',
)
const FORMS = [
  new RegExp(`^${YEAR}(?<between>[-/.])(?<month>\\d{1,2})\\k<between>${DAY}${AFTER_DATE}$`, 'i'),
  NUMBERS,
  new RegExp(`^${WEEKDAY}${DAY}\\.?[\\s-]${MONTH},?[\\s-]${YEAR}${AFTER_DATE}$`, 'i'),
  new RegExp(`^${WEEKDAY}${MONTH}\\s${DAY}(?:st|nd|rd|th)?,?\\s${YEAR}${AFTER_DATE}$`, 'i'),
  /** `Thu Jun 06 09:12:01 +0000 2019` */
  new RegExp(`^${WEEKDAY}${MONTH}\\s+${DAY}\\s+${TIME}\\s+${YEAR}$`, 'i'),
]
/** `1:56 pm on 8 May, 2023` */
const TIME_FIRST = new RegExp(`^(${TIME})(?:,|\\s+on)?\\s+(?<date>.*\\d{4}.*)$`, 'i')
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const LONGEST = 64

type Found = Record<string, string | undefined>

/** A time without a zone is read in `timeZone`. A day has none: it is midnight in UTC everywhere. */
export function parseWrittenTime(written: string, order: DayOrder, timeZone = 'UTC'): WrittenTime | null {
  const text = written.trim().replace(TIME_FIRST, (_, time, ...parts) => `${parts.at(-1).date} ${time}`)
  if (text.length < 6 || text.length > LONGEST || !/\d/.test(text)) return null
  for (const form of FORMS) {
    const found: Found | undefined = form.exec(text)?.groups
    if (found) return form === NUMBERS ? timeOfNumbers(found, order, timeZone) : timeOf(found, timeZone)
  }
  return null
}

/** `31.12.2024`, `12/31/24` */
function timeOfNumbers(found: Found, order: DayOrder, timeZone: string): WrittenTime | null {
  const { first, next, between, year = '' } = found
  const dayFirst = between === '.' || order === 'day-first'
  if (!dayFirst && order === null) return null
  const [day, month] = dayFirst ? [first, next] : [next, first]
  const century = year.length === 4 ? '' : Number(year) < 70 ? '20' : '19'
  return timeOf({ ...found, day, month, year: century + year }, timeZone)
}

/** `20240131T101500Z`, which other times are not mixed with: the digits alone could mean anything. */
export function basicTime(written: string | null): string | null {
  const text = (written ?? '').replace(/^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})/, '$1-$2-$3T$4:$5:$6')
  return parseWrittenTime(text, null)?.utc ?? null
}

/** The order of day and month, from all values of a column: a number above 12 is never a month. */
export function dayOrderOf(texts: Iterable<string>): DayOrder {
  let first = 0
  let second = 0
  for (const text of texts) {
    const found = NUMBERS.exec(text.trim())?.groups
    if (!found) continue
    first = Math.max(first, Number(found.first))
    second = Math.max(second, Number(found.next))
  }
  if (first > 12 && second <= 12) return 'day-first'
  return second > 12 && first <= 12 ? 'month-first' : null
}

function timeOf(found: Found, timeZone: string): WrittenTime | null {
  const { month = '', hour, minute, second, fraction, half, zone } = found
  const clock: WallClock = {
    year: Number(found.year),
    month: MONTHS.indexOf(month.toLowerCase()) + 1 || Number(month),
    day: Number(found.day),
    hour: hourOf(hour, half),
    minute: Number(minute ?? 0),
    second: Number(second ?? 0),
    millisecond: fraction === undefined ? 0 : Math.trunc(Number(`0.${fraction}`) * 1000),
  }
  const written = timesOfWallClock(clock, offsetOf(zone))
  const isInZone = zone === undefined && hour !== undefined && timeZone !== 'UTC'
  const times = isInZone ? timesOfWallClockIn(clock, timeZone) : written
  if (written === null || times === null) return null
  const local = zone === undefined ? written.local.replace(/\+00:00$/, '') : written.local
  return {
    utc: times.utc,
    local: hour === undefined ? local.slice(0, 10) : local,
    precision: hour === undefined ? 'day' : 'time',
    hasZone: zone !== undefined,
  }
}

function hourOf(hour: string | undefined, half: string | undefined): number {
  const number = Number(hour ?? 0)
  if (!half) return number
  if (number < 1 || number > 12) return 99
  return (number % 12) + (/^p/i.test(half) ? 12 : 0)
}

function offsetOf(zone: string | undefined): number {
  const match = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone ?? '')
  if (!match) return 0
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3] ?? 0))
}
