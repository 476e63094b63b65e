/** A date without a time, or the instant that it is converted to. */
const WITHOUT_TIME = /^\d{4}-\d\d-\d\d(?:T00:00:00(?:\.0+)?Z)?$/
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:([Zz])|([+-])(\d{2})(?::?(\d{2}))?)$/

/** The form of nearly all times in exports. */
const USUAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/
const SECOND_CHARS = 19

/** Most records are ordered by the field that has their time, so the same text often comes twice in a row. */
let last: { text: string; key: string | null } = { text: '', key: null }

/**
 * The instant of an RFC 3339 date-time or date as text of fixed width in UTC, so that instants compare as text on every
 * engine: `2026-01-02T03:04:05.000000000Z`. Null if the text is not such a time. A date means midnight UTC.
 */
export function instantKey(text: string): string | null {
  if (text !== last.text) last = { text, key: keyOf(text) }
  return last.key
}

function keyOf(text: string): string | null {
  if (USUAL.test(text)) return usualKey(text)
  const day = DATE.exec(text)
  if (day) return isDay(Number(day[1]), Number(day[2]), Number(day[3])) ? `${text}T00:00:00.000000000Z` : null
  const match = DATE_TIME.exec(text)
  if (!match) return null
  const [
    ,
    year,
    month,
    date,
    hour,
    minute,
    second,
    fraction = '',
    zulu,
    sign,
    offsetHour,
    offsetMinute = '00',
  ] = match
  if (
    !isDay(Number(year), Number(month), Number(date)) ||
    Number(hour) > 23 ||
    Number(minute) > 59 ||
    Number(second) > 60
  )
    return null
  const nanos = fraction.slice(0, 9).padEnd(9, '0')
  if (zulu) return `${year}-${month}-${date}T${hour}:${minute}:${second}.${nanos}Z`
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return null
  const offset = (sign === '-' ? 1 : -1) * (Number(offsetHour) * 60 + Number(offsetMinute))
  const minutes = Date.parse(`${year}-${month}-${date}T${hour}:${minute}:00Z`) + offset * 60_000
  const utc = new Date(minutes).toISOString()
  return utc.length === 24 ? `${utc.slice(0, 17)}${second}.${nanos}Z` : null
}

/** The same as for any other text, without taking it apart by a pattern, which costs several times as much. */
function usualKey(text: string): string | null {
  const number = (at: number) => 10 * text.charCodeAt(at) + text.charCodeAt(at + 1) - 11 * ZERO
  const year = 100 * number(0) + number(2)
  if (!isDay(year, number(5), number(8)) || number(11) > 23 || number(14) > 59 || number(17) > 60) return null
  const fraction = text.slice(SECOND_CHARS + 1, -1)
  return `${text.slice(0, SECOND_CHARS)}.${fraction.padEnd(9, '0')}Z`
}

const ZERO = '0'.charCodeAt(0)

/** Whether a text names a day without a time. Files that date a note only by its day produce such texts. */
export function isWithoutTime(text: string): boolean {
  return WITHOUT_TIME.test(text)
}

function isDay(year: number, month: number, date: number): boolean {
  if (month < 1 || month > 12 || date < 1) return false
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return date <= (month === 2 ? (leap ? 29 : 28) : SHORT_MONTHS.includes(month) ? 30 : 31)
}

const SHORT_MONTHS = [4, 6, 9, 11]

/** Milliseconds since 1970. A leap second counts as the second before it, which `Date` refuses. NaN if it is not a time. */
export function instantMs(instant: string): number {
  return Date.parse(instant.replace(/^(.{17})60/, '$159'))
}

const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * An instant as text. Texts compare as times only if all years have four digits, so an instant before the year 0 or after
 * 9999 becomes the first or the last one within.
 */
export function isoText(ms: number): string {
  return new Date(Math.min(LAST_MS, Math.max(FIRST_MS, ms))).toISOString()
}

/** An instant key in the usual form, without redundant zeros. */
export function instantText(key: string): string {
  return key.replace(/\.?0+Z$/, 'Z')
}
