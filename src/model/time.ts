import { invalidRequest } from './errors.ts'

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

const SLOT_MS = 15 * 60_000
const DAY_MS = 24 * 60 * 60_000
const MOST_OFFSETS = 20_000

/** A time zone by its IANA name: converts between instants and local time. */
export class TimeZone {
  #name: string
  #format: Intl.DateTimeFormat | null
  readonly #offsets = new Map<number, number>()

  constructor(name: string) {
    this.#format = formatOf(name)
    this.#name = name
  }

  get name(): string {
    return this.#name
  }

  /** Changes the zone wherever this object is used: the owner's zone, while the server runs. */
  become(name: string): void {
    this.#format = formatOf(name)
    this.#name = name
    this.#offsets.clear()
  }

  /** The local time at an instant, written as `2026-01-31T12:00:00.000Z` as if the zone were UTC. */
  wallClock(instant: number): string {
    return isoText(instant + this.#offset(instant))
  }

  /** The local time at an instant, with its offset: `2026-01-31T12:00:00+01:00`. */
  localText(instant: number): string {
    // Before standard time, offsets included seconds, which readers do not expect.
    const minutes = Math.round(this.#offset(instant) / 60_000)
    const clock = isoText(instant + minutes * 60_000).slice(0, 19)
    if (this.#format === null) return `${clock}Z`
    const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
    return `${clock}${minutes < 0 ? '-' : '+'}${twoDigits(hours)}:${twoDigits(rest)}`
  }

  /** The local date at an instant: `2026-01-31`. */
  dayOf(instant: number): string {
    return this.wallClock(instant).slice(0, 10)
  }

  /** The instant at which local clocks first show this time or, if they skip it, the next time they do show. */
  instantOf(wallClock: string): number {
    const wanted = instantMs(`${wallClock}Z`)
    const candidates = [wanted - DAY_MS, wanted, wanted + DAY_MS].map(near => wanted - this.#offset(near))
    const exact = candidates.filter(instant => instant + this.#offset(instant) === wanted)
    if (exact.length > 0) return Math.min(...exact)
    // Clocks skip the wanted time, so the result is the moment of the change.
    let [before, after] = [Math.min(...candidates), Math.max(...candidates)]
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      if (middle + this.#offset(middle) < wanted) before = middle
      else after = middle
    }
    return after
  }

  startOfDay(day: string): number {
    return this.instantOf(`${day}T00:00:00`)
  }

  /** Zones change their offset only at quarters of an hour, so an offset is valid for the whole quarter. */
  #offset(instant: number): number {
    if (this.#format === null) return 0
    const slot = Math.floor(instant / SLOT_MS)
    let offset = this.#offsets.get(slot)
    if (offset === undefined) {
      offset = offsetAt(this.#format, slot * SLOT_MS)
      if (this.#offsets.size >= MOST_OFFSETS) this.#offsets.clear()
      this.#offsets.set(slot, offset)
    }
    return offset
  }
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}

function offsetAt(format: Intl.DateTimeFormat, instant: number): number {
  const offset = format.formatToParts(instant).find(part => part.type === 'timeZoneName')?.value ?? ''
  const [, sign, hours, minutes, seconds] = /([+-])(\d+):(\d+)(?::(\d+))?/.exec(offset) ?? []
  const size = Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)
  return (sign === '-' ? -1 : 1) * size * 1_000
}

/** The formats of zones that were used lately. A new one costs more than reading a record. */
const formats = new Map<string, Intl.DateTimeFormat>()
const MOST_FORMATS = 100

/** An offset such as +05:00 is not accepted as a zone, because it has no daylight saving time. */
function formatOf(name: string): Intl.DateTimeFormat | null {
  if (name === 'UTC') return null
  const known = formats.get(name)
  if (known) return known
  try {
    if (/^[+-]/.test(name)) throw new RangeError(name)
    const made = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
    if (formats.size >= MOST_FORMATS) formats.clear()
    formats.set(name, made)
    return made
  } catch {
    const message = `"${name}" is not a time zone. Use an IANA name such as Europe/Berlin.`
    throw invalidRequest(message, 'time_zone')
  }
}

/**
 * A time in the local time of a zone, with its offset. A date is the same date in every zone; other texts stay
 * unchanged.
 */
export function localTime(time: string | null, zone: TimeZone): string | null {
  if (time === null || !/^\d{4}-\d{2}-\d{2}T/i.test(time) || instantKey(time) === null) return time
  if (isWithoutTime(time)) return time.slice(0, 10)
  const instant = instantMs(time)
  return Number.isNaN(instant) ? time : zone.localText(instant)
}
