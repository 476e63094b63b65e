import { timesOfWallClock, timesOfWallClockIn } from '../times.ts'
import { halfIn } from '../whatsapp/stamp.ts'
import { parseWrittenTime } from '../written-time.ts'

const CLOCK = /(?<![\p{Nd}.:])(\d{1,2})(?:[:.]|\sh\s)(\d{2})(?:[:.]|\smin\s)(\d{2})(?!\d)/u
const YEAR = /(?<!\d)(?:19|20)\d{2}(?!\d)/
const OFFSET = /(?:GMT|UTC)\s?([+-])(\d{1,2})(?::?(\d{2}))?/
const ZONE = /\s[A-Z]{2,5}$/
const UTC = /\s(?:UTC|GMT)$/
const MOST_CHARS = 80
const LANGUAGES =
  'en de fr es it pt pt-PT nl sv da nb fi pl cs sk sl hr sr ro hu bg ru uk el tr he ar fa hi bn ta te mr gu kn ml th vi id ms fil et lv lt is ca eu gl af sw ka hy az kk uz'

/**
 * The time in a line of a page, in the language of the account; null if the line is not a time. Without an offset, or
 * with the abbreviation of another zone than UTC, it is a time of `timeZone`.
 */
export function pageTime(line: string, timeZone = 'UTC'): { utc: string | null } | null {
  const plain = line.replace(/\s+/g, ' ').trim()
  const clock = plain.length > MOST_CHARS ? null : CLOCK.exec(plain)
  if (!clock || !YEAR.test(plain)) return null
  return { utc: inEnglish(plain, timeZone) ?? inAnyLanguage(plain, clock, timeZone) }
}

/** `Jan 31, 2018, 10:54:50 PM`, with or without a zone. */
function inEnglish(plain: string, timeZone: string): string | null {
  const line = plain.replace(/GMT(?=[+-])/, '')
  const written =
    parseWrittenTime(line, null, timeZone) ?? parseWrittenTime(line.replace(ZONE, ''), null, timeZone)
  return written?.precision === 'time' ? written.utc : null
}

/** `30. März 2024, 18:05:09 MEZ`, `2024年3月30日 18:05:09 JST` */
function inAnyLanguage(
  plain: string,
  [clock = '', hours = '', minutes = '', seconds = '']: RegExpExecArray,
  timeZone: string,
) {
  const [, sign, offsetHours = '0', offsetMinutes = '0'] = OFFSET.exec(plain) ?? []
  const day = dayIn(plain.replace(OFFSET, '').replace(clock, ' '))
  if (day === null) return null
  const [before = '', after = ''] = plain.split(clock)
  const half = halfIn(`${/\P{Nd}*$/u.exec(before)?.[0]} ${after.replace(ZONE, '')}`)
  const isHalf = half !== null && Number(hours) <= 12
  const hour = isHalf ? (Number(hours) % 12) + (half === 'pm' ? 12 : 0) : Number(hours)
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1)
  const wall = { ...day, hour, minute: Number(minutes), second: Number(seconds) }
  const isInZone = sign === undefined && !UTC.test(plain)
  return (isInZone ? timesOfWallClockIn(wall, timeZone) : timesOfWallClock(wall, offset))?.utc ?? null
}

/** A date with the name of a month, or with three numbers that begin or end with the year. */
function dayIn(text: string): { year: number; month: number; day: number } | null {
  const numbers = (text.match(/\d+/g) ?? []).map(Number)
  const words = withoutDots(text).match(WORD) ?? []
  const names = [...words, ...words.map(word => word.replace(HEBREW_IN, ''))]
  const month = names.map(name => months().get(name)).find(found => found !== undefined)
  if (month !== undefined && numbers.length === 2) {
    const [day = 0, year = 0] = numbers.toSorted((a, b) => a - b)
    return { year, month, day }
  }
  const [a = 0, b = 0, c = 0] = numbers
  if (numbers.length !== 3) return null
  return a > 31 ? { year: a, month: b, day: c } : { year: c, month: b, day: a }
}

/** `ธ.ค.` is one word, and `de gen.` two. */
const WORD = /[\p{L}\p{M}]+/gu
/** Hebrew writes "in" as a prefix of the month. */
const HEBREW_IN = /^ב/
const withoutDots = (text: string) => text.toLowerCase().replace(/(?<=[\p{L}\p{M}])\./gu, '')

let known: Map<string, number> | null = null

/** Month numbers by name. A name that means different months in two languages is left out. */
function months(): Map<string, number> {
  if (known) return known
  const found = new Map<string, number>()
  const ambiguous = new Set<string>()
  for (const language of LANGUAGES.split(' ')) {
    for (const month of ['short', 'long'] as const) {
      const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory`, {
        day: 'numeric',
        month,
        timeZone: 'UTC',
      })
      for (let number = 1; number <= 12; number++) {
        const parts = format.formatToParts(Date.UTC(2024, number - 1, 15))
        const name =
          withoutDots(parts.find(({ type }) => type === 'month')?.value ?? '')
            .match(WORD)
            ?.at(-1) ?? ''
        if ((found.get(name) ?? number) !== number) ambiguous.add(name)
        found.set(name, number)
      }
    }
  }
  for (const name of ambiguous) found.delete(name)
  known = found
  return found
}
