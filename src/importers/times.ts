/** An instant in UTC, and as the local time of the source with its offset. */
export interface Times {
  utc: string
  local: string
}

/** The instant with the offset of the source; null outside the years 0 to 9999. */
export function timesAt(epochMs: number, offsetMinutes: number): Times | null {
  if (!Number.isFinite(epochMs) || Math.abs(offsetMinutes) >= 24 * 60) return null
  const utc = isoOf(epochMs)
  const wall = isoOf(epochMs + offsetMinutes * 60_000)
  if (utc === null || wall === null) return null
  const text = `${utc}Z`
  return {
    utc: offsetMinutes === 0 ? text : asTime(text),
    local: `${wall}${offsetText(offsetMinutes)}`,
  }
}

/** Midnight in UTC with a Z is a day without a time, so what is known to be a time is written with an offset. */
export function asTime(utc: string): string {
  return utc.replace(/(?<=T00:00:00)Z$/, '+00:00')
}

export interface WallClock {
  year: number
  /** 1 to 12. */
  month: number
  day: number
  hour?: number
  minute?: number
  second?: number
  millisecond?: number
}

/** A local time with a known offset; null if there is no such day or time. */
export function timesOfWallClock(clock: WallClock, offsetMinutes: number): Times | null {
  const wall = wallMs(clock)
  return wall === null ? null : timesAt(wall - offsetMinutes * 60_000, offsetMinutes)
}

/** An instant as local time in a named zone; in UTC if the zone is unknown. */
export function timesAtIn(epochMs: number, timeZone: string): Times | null {
  if (!Number.isFinite(epochMs) || Math.abs(epochMs) > 8.64e15) return null
  try {
    return timesAt(epochMs, offsetIn(timeZone, epochMs))
  } catch (error) {
    if (error instanceof RangeError) return timesAt(epochMs, 0)
    throw error
  }
}

/**
 * A local time in a named zone; null if there is no such zone, day or time. When clocks are set back, a time that they
 * show twice is the first; when they are set forward, one that they skip has the offset from before (RFC 5545).
 */
export function timesOfWallClockIn(clock: WallClock, timeZone: string): Times | null {
  const wall = wallMs(clock)
  if (wall === null) return null
  try {
    const before = offsetIn(timeZone, wall - MOST_OFFSET_MS)
    const after = offsetIn(timeZone, wall + MOST_OFFSET_MS)
    const isAfter =
      before !== after &&
      offsetIn(timeZone, wall - before * 60_000) !== before &&
      offsetIn(timeZone, wall - after * 60_000) === after
    const offset = isAfter ? after : before
    return timesAt(wall - offset * 60_000, offset)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** No zone was ever farther from UTC. */
const MOST_OFFSET_MS = 16 * 60 * 60_000

function wallMs(clock: WallClock): number | null {
  const { year, month, day, hour = 0, minute = 0, second = 0, millisecond = 0 } = clock
  if (month < 1 || month > 12 || day < 1 || day > 31) return null
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return null
  const ms = Date.UTC(2000, month - 1, day, hour, minute, second, millisecond)
  const date = new Date(ms)
  date.setUTCFullYear(year, month - 1, day)
  const rolled = second === 60 || (date.getUTCMonth() === month - 1 && date.getUTCDate() === day)
  return rolled && year >= 0 && year <= 9999 ? date.getTime() : null
}

const formats = new Map<string, Intl.DateTimeFormat>()

function offsetIn(timeZone: string, epochMs: number): number {
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
    formats.set(timeZone, format)
  }
  const name = format.formatToParts(epochMs).find(part => part.type === 'timeZoneName')?.value ?? ''
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(name)
  return match ? (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) : 0
}

function isoOf(ms: number): string | null {
  if (Math.abs(ms) > 8.64e15) return null
  const iso = new Date(ms).toISOString()
  if (iso.length !== 24) return null
  return iso.slice(0, iso.endsWith('.000Z') ? 19 : 23)
}

function offsetText(minutes: number): string {
  if (minutes === 0) return '+00:00'
  const size = Math.abs(Math.trunc(minutes))
  const two = (n: number) => String(n).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

/** The minutes from UTC of what people call zones. A name that several parts of the world use is left out. */
export const MINUTES_OF_ZONES = new Map(
  Object.entries({
    0: 'z ut utc gmt wet',
    60: 'bst west met cet mez',
    120: 'mest cest mesz eet',
    180: 'eest msk',
    240: 'msd',
    480: 'hkt sgt',
    540: 'jst kst',
    600: 'aest',
    660: 'aedt',
    720: 'nzst',
    780: 'nzdt',
    '-240': 'edt',
    '-300': 'est cdt',
    '-360': 'cst mdt',
    '-420': 'mst pdt',
    '-480': 'pst akdt',
    '-540': 'akst',
    '-600': 'hst',
  }).flatMap(([minutes, names]) => names.split(' ').map(name => [name, Number(minutes)] as const)),
)
const OFFSET = /^(?:UTC|GMT)?\s?([+-])(\d{1,2})(?::?([0-5]\d))?$/i
const MOST_HOURS = 14
const LONGEST = 64

/** A zone such as `Europe/Berlin`, `CEST`, `+02:00` or `GMT+2` in the form that times are read in; null for others. */
export function zoneOf(written: string): string | null {
  const text = written.trim()
  if (text.length < 1 || text.length > LONGEST) return null
  const [, sign = '', hours = '', minutes = '00'] = OFFSET.exec(text) ?? []
  if (sign !== '') return Number(hours) > MOST_HOURS ? null : `${sign}${hours.padStart(2, '0')}:${minutes}`
  const offset = MINUTES_OF_ZONES.get(text.toLowerCase())
  if (offset !== undefined) return zoneOfMinutes(offset)
  return timesOfWallClockIn({ year: 2000, month: 1, day: 1 }, text) === null ? null : text
}

function zoneOfMinutes(minutes: number): string {
  const hours = String(Math.abs(minutes) / 60).padStart(2, '0')
  return minutes === 0 ? 'UTC' : `${minutes < 0 ? '-' : '+'}${hours}:00`
}
