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
type DayOrder = 'day-first' | 'month-first' | null

const TIME =
  '(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:[.,](\\d{1,9}))?)?\\s*([ap]\\.?m\\.?)?\\s*(Z|UTC|GMT|[+-]\\d{2}:?\\d{2}|[+-]\\d{2})?'
const AFTER_DATE = `(?:(?:T|,?\\s+(?:at\\s+)?)${TIME})?`
const ISO = new RegExp(`^(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${AFTER_DATE}$`, 'i')
const NUMBERS = new RegExp(`^(\\d{1,2})([/.-])(\\d{1,2})\\2(\\d{4}|\\d{2})${AFTER_DATE}$`, 'i')
const MONTH = '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?'
const WEEKDAY = '(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\\.?,?\\s+)?'
const DAY_MONTH = new RegExp(`^${WEEKDAY}(\\d{1,2})\\.?[\\s-]${MONTH},?[\\s-](\\d{4})${AFTER_DATE}$`, 'i')
const MONTH_DAY = new RegExp(
  `^${WEEKDAY}${MONTH}\\s(\\d{1,2})(?:st|nd|rd|th)?,?\\s(\\d{4})${AFTER_DATE}$`,
  'i',
)
/** `Thu Jun 06 09:12:01 +0000 2019` */
const UNIX_DATE = new RegExp(`^${WEEKDAY}${MONTH}\\s+(\\d{1,2})\\s+${TIME}\\s+(\\d{4})$`, 'i')
/** `1:56 pm on 8 May, 2023` */
const TIME_FIRST = new RegExp(`^(${TIME})(?:,|\\s+on)?\\s+(.*\\d{4}.*)$`, 'i')
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const LONGEST = 64

/** A time without a zone is read in `timeZone`. A day has none: it is midnight in UTC everywhere. */
export function parseWrittenTime(written: string, order: DayOrder, timeZone = 'UTC'): WrittenTime | null {
  const text = written
    .trim()
    .replace(TIME_FIRST, (_, time: string, ...parts: string[]) => `${parts[6]} ${time}`)
  if (text.length < 6 || text.length > LONGEST || !/\d/.test(text)) return null
  const iso = ISO.exec(text)
  if (iso) return timeOf(iso[1], iso[3], iso[4], iso.slice(5), timeZone)
  const numbers = NUMBERS.exec(text)
  if (numbers) {
    const dayFirst = numbers[2] === '.' || order === 'day-first'
    if (!dayFirst && order === null) return null
    const [day, month] = dayFirst ? [numbers[1], numbers[3]] : [numbers[3], numbers[1]]
    return timeOf(fourDigits(numbers[4]), month, day, numbers.slice(5), timeZone)
  }
  const dayMonth = DAY_MONTH.exec(text)
  if (dayMonth) return timeOf(dayMonth[3], monthOf(dayMonth[2]), dayMonth[1], dayMonth.slice(4), timeZone)
  const monthDay = MONTH_DAY.exec(text)
  if (monthDay) return timeOf(monthDay[3], monthOf(monthDay[1]), monthDay[2], monthDay.slice(4), timeZone)
  const unix = UNIX_DATE.exec(text)
  if (unix) return timeOf(unix[9], monthOf(unix[1]), unix[2], unix.slice(3, 9), timeZone)
  return null
}

/** The order of day and month, from all values of a column: a number above 12 is never a month. */
export function dayOrderOf(texts: Iterable<string>): DayOrder {
  let first = 0
  let second = 0
  for (const text of texts) {
    const match = NUMBERS.exec(text.trim())
    if (!match) continue
    first = Math.max(first, Number(match[1]))
    second = Math.max(second, Number(match[3]))
  }
  if (first > 12 && second <= 12) return 'day-first'
  return second > 12 && first <= 12 ? 'month-first' : null
}

function timeOf(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  [hour, minute, second, fraction, half, zone]: (string | undefined)[],
  timeZone: string,
): WrittenTime | null {
  const clock: WallClock = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
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

function monthOf(name: string | undefined): string {
  return String(MONTHS.indexOf((name ?? '').toLowerCase()) + 1)
}

function fourDigits(year: string | undefined): string {
  const text = year ?? ''
  return text.length === 4 ? text : Number(text) < 70 ? `20${text}` : `19${text}`
}
