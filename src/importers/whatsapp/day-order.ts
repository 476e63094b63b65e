import type { Stamp } from './stamp.ts'

/** The order of day, month and year in a date. */
export type DayOrder = 'dmy' | 'mdy' | 'ymd'

/** A day of the Gregorian calendar. */
export interface Day {
  year: number
  month: number
  day: number
}

interface Tried {
  order: DayOrder
  invalid: number
  /** How often a message would be dated before the previous one. */
  backward: number
  last: number
}

/**
 * Finds the order of day, month and year from all stamps of a chat: the one in which every date exists and the messages
 * follow each other in time.
 */
export class DayOrders {
  readonly #tried: Tried[]

  constructor() {
    this.#tried = (['dmy', 'mdy', 'ymd'] as const).map(order => ({ order, invalid: 0, backward: 0, last: 0 }))
  }

  /** `fits`: whether nothing else on the line speaks against a day. */
  note(stamp: Pick<Stamp, 'day'>, fits: (day: Day) => boolean = () => true): void {
    for (const tried of this.#tried) {
      const day = dayOf(stamp, tried.order)
      if (day === null || !fits(day)) {
        tried.invalid++
        continue
      }
      const number = day.year * 372 + day.month * 31 + day.day
      if (number < tried.last) tried.backward++
      tried.last = number
    }
  }

  /** If several orders fit equally well, the day comes first, or the month if times have AM and PM. */
  best(hasHalves: boolean): DayOrder {
    const preferred: DayOrder[] = hasHalves ? ['mdy', 'dmy', 'ymd'] : ['dmy', 'mdy', 'ymd']
    const rank = ({ order }: Tried) => preferred.indexOf(order)
    const [best] = this.#tried.toSorted(
      (a, b) => a.invalid - b.invalid || a.backward - b.backward || rank(a) - rank(b),
    )
    return best?.order ?? 'dmy'
  }
}

/** The day of a stamp; null if there is no such day. */
export function dayOf({ day: [a, b, c] }: Pick<Stamp, 'day'>, order: DayOrder): Day | null {
  const [year, month, day] = order === 'ymd' ? [a, b, c] : order === 'dmy' ? [c, b, a] : [c, a, b]
  if (year.length === 1 || month.length > 2 || day.length > 2) return null
  return gregorianDay(Number(year) + (year.length === 2 ? 2000 : 0), Number(month), Number(day))
}

const DAY_MS = 86_400_000

/**
 * Calendars that phones use for dates, recognised by their year numbers since the start of WhatsApp in 2009. A
 * two-digit Thai year is 2552 or later.
 */
const CALENDARS = [
  { name: 'persian', from: 1388, to: 1429, yearDays: 365.2422, start: Date.UTC(622, 2, 22) },
  { name: 'islamic-umalqura', from: 1430, to: 1470, yearDays: 354.367, start: Date.UTC(622, 6, 19) },
]
const THAI = { from: 2552, to: 2650, shift: 543 }
const THAI_SHORT = { from: 2052, to: 2099, shift: 43 }

/** The day in the Gregorian calendar; null if there is no such day. */
function gregorianDay(year: number, month: number, day: number): Day | null {
  const calendar = CALENDARS.find(({ from, to }) => year >= from && year <= to)
  if (calendar) return dayIn(calendar, { year, month, day })
  const thai = [THAI, THAI_SHORT].find(({ from, to }) => year >= from && year <= to)
  const found = { year: year - (thai?.shift ?? 0), month, day }
  const date = new Date(Date.UTC(found.year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? found : null
}

/** Estimates the day, then searches the days around it for the exact one. */
function dayIn({ name, yearDays, start }: (typeof CALENDARS)[number], sought: Day): Day | null {
  const about =
    start + ((sought.year - 1) * yearDays + ((sought.month - 1) * yearDays) / 12 + sought.day) * DAY_MS
  const format = formatOf(name)
  for (const step of [0, -1, 1, -2, 2, -3, 3, -4, 4]) {
    const date = new Date(about + step * DAY_MS)
    const written = format.formatToParts(date)
    const part = (type: string) => Number.parseInt(written.find(each => each.type === type)?.value ?? '', 10)
    if (part('year') === sought.year && part('month') === sought.month && part('day') === sought.day)
      return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
  }
  return null
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(calendar: string): Intl.DateTimeFormat {
  const known = formats.get(calendar)
  if (known) return known
  const made = new Intl.DateTimeFormat(`en-u-ca-${calendar}`, {
    timeZone: 'UTC',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  })
  formats.set(calendar, made)
  return made
}
