import { gregorianDay } from './calendars.ts'
import type { Stamp } from './stamp.ts'

/** The order of day, month and year in a date. */
export type DayOrder = 'dmy' | 'mdy' | 'ymd'

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

  note(stamp: Stamp): void {
    for (const tried of this.#tried) {
      const day = dayOf(stamp, tried.order)
      if (day === null) {
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
export function dayOf(
  { day: [a, b, c] }: Pick<Stamp, 'day'>,
  order: DayOrder,
): { year: number; month: number; day: number } | null {
  const [year, month, day] = order === 'ymd' ? [a, b, c] : order === 'dmy' ? [c, b, a] : [c, a, b]
  if (year.length === 1 || month.length > 2 || day.length > 2) return null
  return gregorianDay(Number(year) + (year.length === 2 ? 2000 : 0), Number(month), Number(day))
}
