import { MINUTES_OF_ZONES, type Times, timesOfWallClock } from '../times.ts'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTH = '(?<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*'
const DAY = '(?<day>\\d{1,2})'
const YEAR = '(?<year>\\d{4})'
const CLOCK =
  '(?<hour>\\d{1,2})[:.](?<minute>\\d{2})(?:[:.](?<second>\\d{2}))?(?:\\.\\d+)?(?:\\s*(?<half>[ap])\\.?m\\.?)?'
const ZONE = '(?:\\s*(?<zone>[+-]\\s?\\d{1,2}:?\\d{2}|[a-z]{1,5}))?'
const FORMS = [
  /** `Tue, 1 Apr 97 11:48:02 +0200`, with common mistakes. */
  `(?:^|[\\s,])${DAY}[\\s-]+${MONTH}[\\s.,-]+(?<year>\\d{2,4})[\\s,]+${CLOCK}${ZONE}`,
  /** `Tue Apr  1 11:48:02 1997`, `Tue Oct 17 18:35:34 +0000 2017`. */
  `${MONTH}\\s+${DAY}\\s+${CLOCK}${ZONE}\\s+${YEAR}(?:\\s*(?<after>[+-]\\d{4}))?`,
  /** `Apr 1, 1997 11:48 PM` */
  `${MONTH}\\s+${DAY}(?:st|nd|rd|th)?,?\\s+${YEAR},?\\s+${CLOCK}${ZONE}`,
  /** `1997-04-01 11:48:02` */
  `${YEAR}[-/](?<month>\\d{1,2})[-/]${DAY}[t\\s]+${CLOCK}${ZONE}`,
].map(form => new RegExp(form))

/** The instant of a Date header; null if it cannot be parsed. A missing or unknown zone is UTC. */
export function parseMailDate(text: string): Times | null {
  const plain = text
    .slice(0, 200)
    .replace(/\([^()]*\)/g, ' ')
    .toLowerCase()
  for (const form of FORMS) {
    const found = form.exec(plain)?.groups
    if (found) return timesOf(found)
  }
  return null
}

function timesOf(found: Record<string, string | undefined>): Times | null {
  const { month = '', half, zone = found.after } = found
  const year = yearOf(found.year ?? '')
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
  return timesOfWallClock(clock, offsetOf(zone))
}

/** Two digits as in RFC 5322; three digits are a bug of the year 2000. */
function yearOf(text: string): number {
  const year = Number(text)
  if (text.length === 2) return year < 50 ? 2000 + year : 1900 + year
  return text.length === 3 ? 1900 + year : year
}

function offsetOf(zone: string | undefined): number {
  const match = /^([+-])\s?(\d{1,2}):?(\d{2})$/.exec(zone ?? '')
  if (!match) return MINUTES_OF_ZONES.get(zone ?? '') ?? 0
  const minutes = Number(match[2]) * 60 + Number(match[3])
  const sensible = minutes <= 14 * 60 && Number(match[3]) < 60
  return sensible ? (match[1] === '-' ? -minutes : minutes) : 0
}
