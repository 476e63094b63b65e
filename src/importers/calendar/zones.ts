import ICAL from 'ical.js'
import { asTime, type Times, timesAt, timesOfWallClock, timesOfWallClockIn } from '../times.ts'

/** A calendar time in UTC and as written. If `isDay`, it is a date without a time. */
export interface CalendarTime {
  utc: string
  local: string
  zone: string | null
  isDay: boolean
}

/** A zone with all of its history has half as many. */
const MOST_ZONE_CHARS = 32_768
const YEARLY_PARTS = ['BYMONTH', 'BYMONTHDAY', 'BYDAY']

export class Zones {
  readonly #defined = new Map<string, ICAL.Timezone>()
  /** The zone that the calendar gives to times without one. */
  assumed: string | null = null
  /** The owner's, for times that the calendar gives none. */
  readonly #owner: string

  constructor(owner: string) {
    this.#owner = owner
  }

  /** Adds a `VTIMEZONE`. One that cannot be parsed or used is ignored, because its name may be enough. */
  define(text: string): void {
    if (text.length > MOST_ZONE_CHARS) return
    try {
      const component = new ICAL.Component(ICAL.parse(text))
      const tzid = String(component.getFirstPropertyValue('tzid') ?? '')
      if (tzid !== '' && isYearly(component)) this.#defined.set(tzid, new ICAL.Timezone({ component, tzid }))
    } catch {
      // Times in this zone are then resolved by its name.
    }
  }

  /** The time in a property; null if it is missing or invalid. */
  timeOf(property: ICAL.Property | null): CalendarTime | null {
    try {
      const value = property?.getFirstValue()
      if (!property || !(value instanceof ICAL.Time)) return null
      return this.#read(value, property.getFirstParameter('tzid') || null)
    } catch {
      return null
    }
  }

  #read(time: ICAL.Time, tzid: string | null): CalendarTime | null {
    const { year, month, day, hour, minute, second, isDate } = time
    const clock = isDate ? { year, month, day } : { year, month, day, hour, minute, second }
    if (isDate) {
      const times = timesOfWallClock(clock, 0)
      return times && { utc: times.utc, local: times.utc.slice(0, 10), zone: null, isDay: true }
    }
    const found = (times: Times | null, zone: string | null): CalendarTime | null =>
      times && {
        utc: asTime(times.utc),
        local: zone === null ? times.local.replace(/[+-]\d{2}:\d{2}$/, '') : times.local,
        zone,
        isDay: false,
      }
    if (time.zone === ICAL.Timezone.utcTimezone || tzid === 'UTC')
      return found(timesOfWallClock(clock, 0), 'UTC')
    const zone = tzid ?? this.assumed
    if (zone === null) return found(timesOfWallClockIn(clock, this.#owner), null)
    // `/example.org/2026/Europe/Paris`
    const parts = zone.split('/')
    for (const name of [zone, parts.slice(-3).join('/'), parts.slice(-2).join('/')]) {
      const times = timesOfWallClockIn(clock, name)
      if (times) return found(times, name)
    }
    const defined = this.#defined.get(zone)
    if (!defined) return found(timesOfWallClockIn(clock, this.#owner), null)
    const offset = defined.utcOffset(time) / 60
    const wall = timesOfWallClock(clock, 0)
    return found(wall && timesAt(Date.parse(wall.utc) - offset * 60_000, offset), zone)
  }
}

/** Whether clocks change a few times a year: each change since the beginning is computed. */
function isYearly(zone: ICAL.Component): boolean {
  const rules = zone.getAllSubcomponents().flatMap(part => part.getAllProperties('rrule'))
  return rules.every(property => {
    const rule = property.getFirstValue()
    if (!(rule instanceof ICAL.Recur) || rule.freq !== 'YEARLY') return false
    return Object.entries(rule.parts).every(
      ([name, values]) => YEARLY_PARTS.includes(name) && (name === 'BYMONTHDAY' || values?.length === 1),
    )
  })
}
