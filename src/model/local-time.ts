import { instantKey, instantMs, isWithoutTime } from './time.ts'
import type { TimeZone } from './time-zone.ts'

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

/** A bound in its shortest form: a date if it is the start of a day. */
export function boundText(instant: string, zone: TimeZone): string {
  const at = instantMs(instant)
  const day = zone.dayOf(at)
  return zone.startOfDay(day) === at ? day : zone.localText(at)
}
