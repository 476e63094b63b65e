import { CodedError } from '../errors.ts'
import { instantKey } from '../time.ts'

export const GRANULARITIES = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const
export type Granularity = (typeof GRANULARITIES)[number]

const SLOT_MS = 15 * 60_000
const DAY_MS = 24 * 60 * 60_000

/** Assigns instants to buckets of local time; a bucket is named by its start, a week by its Monday. */
export class TimeBuckets {
  readonly #granularity: Granularity
  readonly #zone: Intl.DateTimeFormat | null
  readonly #offsets = new Map<number, number>()

  constructor(granularity: Granularity, timeZone: string) {
    this.#granularity = granularity
    this.#zone = timeZone === 'UTC' ? null : zoneFormat(timeZone)
  }

  /** The bucket of an RFC 3339 text or an instant key; null when it is not a time. */
  bucketOf(time: string): string | null {
    const key = instantKey(time)
    if (key === null) return null
    return name(this.#granularity, this.#zone ? this.#local(key) : key)
  }

  #local(key: string): string {
    const ms = Date.parse(`${key.slice(0, 17)}00Z`)
    const slot = Math.floor(ms / SLOT_MS)
    let offset = this.#offsets.get(slot)
    if (offset === undefined) {
      offset = this.#offsetAt(slot * SLOT_MS)
      this.#offsets.set(slot, offset)
    }
    return new Date(ms + offset).toISOString()
  }

  #offsetAt(ms: number): number {
    const offset = this.#zone?.formatToParts(ms).find(part => part.type === 'timeZoneName')?.value ?? ''
    const [, sign, hours, minutes, seconds] = /([+-])(\d+):(\d+)(?::(\d+))?/.exec(offset) ?? []
    const size = Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)
    return (sign === '-' ? -1 : 1) * size * 1_000
  }
}

function name(granularity: Granularity, iso: string): string {
  switch (granularity) {
    case 'hour':
      return iso.slice(0, 13)
    case 'day':
      return iso.slice(0, 10)
    case 'week': {
      const day = Date.parse(iso.slice(0, 10))
      const sinceMonday = (new Date(day).getUTCDay() + 6) % 7
      return new Date(day - sinceMonday * DAY_MS).toISOString().slice(0, 10)
    }
    case 'month':
      return iso.slice(0, 7)
    case 'quarter':
      return `${iso.slice(0, 4)}-Q${Math.ceil(Number(iso.slice(5, 7)) / 3)}`
    case 'year':
      return iso.slice(0, 4)
  }
}

function zoneFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  } catch {
    throw new CodedError(
      'invalid_request',
      `Unknown time zone ${timeZone}. Use a name such as Europe/Berlin.`,
      {
        param: 'time_zone',
      },
    )
  }
}
