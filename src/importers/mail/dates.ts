import { type Times, timesOfWallClock } from '../times.ts'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTH = '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*'
const ZONES: Record<string, number> = {
  z: 0,
  ut: 0,
  utc: 0,
  gmt: 0,
  wet: 0,
  bst: 60,
  west: 60,
  met: 60,
  cet: 60,
  mez: 60,
  mest: 120,
  cest: 120,
  mesz: 120,
  eet: 120,
  eest: 180,
  msk: 180,
  msd: 240,
  jst: 540,
  est: -300,
  edt: -240,
  cst: -360,
  cdt: -300,
  mst: -420,
  mdt: -360,
  pst: -480,
  pdt: -420,
}
const CLOCK = '(\\d{1,2})[:.](\\d{2})(?:[:.](\\d{2}))?(?:\\.\\d+)?(?:\\s*([ap])\\.?m\\.?)?'
const ZONE = '(?:\\s*([+-]\\s?\\d{1,2}:?\\d{2}|[a-z]{1,5}))?'
/** `Tue, 1 Apr 97 11:48:02 +0200`, with common mistakes. */
const USUAL = new RegExp(`(?:^|[\\s,])(\\d{1,2})[\\s-]+${MONTH}[\\s.,-]+(\\d{2,4})[\\s,]+${CLOCK}${ZONE}`)
/** `Tue Apr  1 11:48:02 1997`, `Tue Oct 17 18:35:34 +0000 2017`, `Apr 1, 1997 11:48 PM`. */
const ASCTIME = new RegExp(`${MONTH}\\s+(\\d{1,2})\\s+${CLOCK}${ZONE}\\s+(\\d{4})(?:\\s*([+-]\\d{4}))?`)
const AMERICAN = new RegExp(`${MONTH}\\s+(\\d{1,2})(?:st|nd|rd|th)?,?\\s+(\\d{4}),?\\s+${CLOCK}${ZONE}`)
const NUMBERS = new RegExp(`(\\d{4})[-/](\\d{1,2})[-/](\\d{1,2})[t\\s]+${CLOCK}${ZONE}`)

/** The instant of a Date header; null if it cannot be parsed. A missing or unknown zone is UTC. */
export function parseMailDate(text: string): Times | null {
  const plain = text
    .slice(0, 200)
    .replace(/\([^()]*\)/g, ' ')
    .toLowerCase()
  const usual = USUAL.exec(plain)
  if (usual) {
    const [, day, month, year, hour, minute, second, half, zone] = usual
    return build({ year: yearOf(year ?? ''), month, day, hour, minute, second, half, zone })
  }
  const asctime = ASCTIME.exec(plain)
  if (asctime) {
    const [, month, day, hour, minute, second, half, zone, year, after] = asctime
    return build({ year: Number(year), month, day, hour, minute, second, half, zone: zone ?? after })
  }
  const american = AMERICAN.exec(plain)
  if (american) {
    const [, month, day, year, hour, minute, second, half, zone] = american
    return build({ year: Number(year), month, day, hour, minute, second, half, zone })
  }
  const numbers = NUMBERS.exec(plain)
  if (numbers) {
    const [, year, month, day, hour, minute, second, half, zone] = numbers
    return build({ year: Number(year), month, day, hour, minute, second, half, zone })
  }
  return null
}

interface Found {
  year: number
  month: string | undefined
  day: string | undefined
  hour: string | undefined
  minute: string | undefined
  second: string | undefined
  half: string | undefined
  zone: string | undefined
}

function build(found: Found): Times | null {
  const { year, month = '', half } = found
  if (year < 1970 || year > 2100) return null
  const named = MONTHS.indexOf(month.slice(0, 3)) + 1
  let hour = Number(found.hour)
  if (half === 'p' && hour < 12) hour += 12
  if (half === 'a' && hour === 12) hour = 0
  const clock = {
    year,
    month: named === 0 ? Number(month) : named,
    day: Number(found.day),
    hour,
    minute: Number(found.minute),
    second: Math.min(59, Number(found.second ?? 0)),
  }
  return timesOfWallClock(clock, offsetOf(found.zone))
}

/** Two digits as in RFC 5322; three digits are a bug of the year 2000. */
function yearOf(text: string): number {
  const year = Number(text)
  if (text.length === 2) return year < 50 ? 2000 + year : 1900 + year
  return text.length === 3 ? 1900 + year : year
}

function offsetOf(zone: string | undefined): number {
  const match = /^([+-])\s?(\d{1,2}):?(\d{2})$/.exec(zone ?? '')
  if (!match) return ZONES[zone ?? ''] ?? 0
  const minutes = Number(match[2]) * 60 + Number(match[3])
  const sensible = minutes <= 14 * 60 && Number(match[3]) < 60
  return sensible ? (match[1] === '-' ? -minutes : minutes) : 0
}
