import { instantMs, isoText, isWithoutTime, type TimeZone } from '../model/time.ts'
import { dayText } from './words.ts'

const DAY_MS = 86_400_000
/** A time with its zone. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?Z$/
/** A day, or a time as a clock showed it. */
const LOCAL = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::\d\d(?:\.\d{1,9})?)?([+-]\d\d:\d\d)?)?$/

/** Times as the owner reads them, in the owner's time zone. */
export class Times {
  readonly zone: TimeZone
  readonly now: Date
  #zoneNames: Intl.DateTimeFormat | null = null

  constructor(zone: TimeZone, now: Date) {
    this.zone = zone
    this.now = now
  }

  /** 15 November 2026. */
  day(instant: string): string {
    return dayText(this.date(instant) ?? instant)
  }

  /** The ISO date, `2026-11-15`; null if it is not a time. */
  date(instant: string): string | null {
    const at = instantMs(instant)
    if (Number.isNaN(at)) return null
    return isWithoutTime(instant) ? instant.slice(0, 10) : this.zone.dayOf(at)
  }

  /** 15 November 2026, 09:30 CET. */
  at(instant: string): string {
    const minute = this.minute(instant)
    return minute === this.day(instant) ? minute : `${minute} ${this.#zoneAt(instantMs(instant))}`
  }

  /** 15 November 2026, 09:30: for lists, in which the zone would be repeated in every row. */
  minute(instant: string): string {
    const day = this.day(instant)
    if (Number.isNaN(instantMs(instant)) || isWithoutTime(instant)) return day
    return `${day}, ${this.clock(instant)}`
  }

  /** The time of a list's next item: the day is said only if it is another one than before. */
  after(before: string | null, instant: string): string {
    const isSameDay = before !== null && this.date(before) === this.date(instant)
    return isSameDay && !isWithoutTime(instant) ? this.clock(instant) : this.at(instant)
  }

  /** 09:30. */
  clock(instant: string): string {
    return this.zone.wallClock(instantMs(instant)).slice(11, 16)
  }

  /** A value of a record: a time in the owner's zone, a local time and a day in words, another text as it is. */
  told(text: string): string {
    if (INSTANT.test(text)) return this.at(text)
    const [, date, clock, offset] = LOCAL.exec(text) ?? []
    const day = date === undefined ? text : dayText(date)
    return clock === undefined ? day : `${day}, ${clock}${offset ? ` (UTC${offset})` : ''}`
  }

  /** How long ago, or the day if that was long ago. */
  ago(instant: string): string {
    const minutes = Math.floor((this.now.getTime() - instantMs(instant)) / 60_000)
    if (!(minutes < 7 * 24 * 60)) return `on ${this.day(instant)}`
    if (minutes < 2) return 'just now'
    if (minutes < 120) return `${minutes} minutes ago`
    if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} hours ago`
    return `${Math.floor(minutes / 60 / 24)} days ago`
  }

  /** The Monday of the week, `2026-11-16`. */
  weekOf(instant: string): string {
    const day = Date.parse(this.date(instant) ?? '')
    return new Date(day - ((new Date(day).getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10)
  }

  /** When a week begins and ends, given its Monday; null if it is not a date. */
  weekBounds(monday: string): { since: string; until: string } | null {
    const day = /^\d{4}-\d\d-\d\d$/.test(monday) ? Date.parse(monday) : Number.NaN
    if (Number.isNaN(day)) return null
    const start = (date: number) => isoText(this.zone.startOfDay(isoText(date).slice(0, 10)))
    return { since: start(day), until: start(day + 7 * DAY_MS) }
  }

  /** The name of the zone at that time: CET in winter, CEST in summer. */
  #zoneAt(instant: number): string {
    if (this.zone.name === 'UTC') return 'UTC'
    this.#zoneNames ??= new Intl.DateTimeFormat('en-GB', { timeZone: this.zone.name, timeZoneName: 'short' })
    return this.#zoneNames.formatToParts(instant).find(part => part.type === 'timeZoneName')?.value ?? ''
  }
}
