import { timesOfWallClockIn } from './times.ts'

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

/** A zone such as `Europe/Berlin`, `CEST`, `+02:00` or `GMT+2` in the form that times are read in; null if it is none. */
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
