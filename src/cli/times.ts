import { type Bounds, boundsNotes, sinceInstant, untilInstant } from '../model/time-bounds.ts'
import { localTime, type TimeZone } from '../model/time-zone.ts'
import { type Invocation, text } from './command.ts'

/** `--since` and `--until` as instants. Days are in the owner's zone. */
export function boundsOf(values: Invocation['values'], zone: TimeZone): Bounds {
  const calendar = { zone, now: new Date() }
  const [since, until] = [text(values, 'since'), text(values, 'until')]
  return {
    ...(since === undefined ? {} : { since: sinceInstant(since, calendar) }),
    ...(until === undefined ? {} : { until: untilInstant(until, calendar) }),
  }
}

/** Says how a time was interpreted. */
export function noteBounds(
  { note, paint }: Pick<Invocation, 'note' | 'paint'>,
  { since, until }: { since?: string | undefined; until?: string | undefined },
  zone: TimeZone,
): void {
  const bounds = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) }
  for (const line of boundsNotes(bounds, zone)) note(paint.dim(line))
}

/** A time in the owner's local time. */
export function shownTime(time: string, zone: TimeZone): string {
  return localTime(time, zone) ?? time
}
