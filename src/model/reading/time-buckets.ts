import { instantKey, isoText, isWithoutTime } from '../time.ts'
import { TimeZone } from '../time-zone.ts'

export const GRANULARITIES = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const
export type Granularity = (typeof GRANULARITIES)[number]

const DAY_MS = 24 * 60 * 60_000

/** Assigns instants to buckets of local time; a bucket is named by its start, a week by its Monday. */
export class TimeBuckets {
  readonly #granularity: Granularity
  readonly #zone: TimeZone | null

  constructor(granularity: Granularity, timeZone: string) {
    this.#granularity = granularity
    this.#zone = timeZone === 'UTC' ? null : new TimeZone(timeZone)
  }

  /** The bucket of an RFC 3339 text or an instant key; null if it is not a time. A date is the same in every zone. */
  bucketOf(time: string): string | null {
    const key = instantKey(time)
    if (key === null) return null
    const isLocal = this.#zone === null || isWithoutTime(key)
    const local = isLocal ? key : this.#zone.wallClock(Date.parse(`${key.slice(0, 17)}00Z`))
    return name(this.#granularity, local)
  }
}

function name(granularity: Granularity, iso: string): string {
  switch (granularity) {
    case 'minute':
      return iso.slice(0, 16)
    case 'hour':
      return iso.slice(0, 13)
    case 'day':
      return iso.slice(0, 10)
    case 'week': {
      const day = Date.parse(iso.slice(0, 10))
      const sinceMonday = (new Date(day).getUTCDay() + 6) % 7
      return isoText(day - sinceMonday * DAY_MS).slice(0, 10)
    }
    case 'month':
      return iso.slice(0, 7)
    case 'quarter':
      return `${iso.slice(0, 4)}-Q${Math.ceil(Number(iso.slice(5, 7)) / 3)}`
    case 'year':
      return iso.slice(0, 4)
  }
}
