import { invalidRequest } from './errors.ts'
import { instantKey, instantMs, isoText, isWithoutTime } from './time.ts'

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
