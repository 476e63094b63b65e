import { instantKey } from '../time.ts'
import { type Calendar, sinceInstant, untilInstant } from '../time-bounds.ts'

/** Instant keys; `until` is excluded. */
export interface KeyBounds {
  since?: string | undefined
  until?: string | undefined
}

/** The bounds that satisfy both the request and the operators of its query: the latest start and the earliest end. */
export function narrowedBounds(
  given: KeyBounds,
  operators: readonly { name: string; value: string }[],
  calendar: Calendar,
): KeyBounds {
  const since = [given.since]
  const until = [given.until]
  for (const { name, value } of operators) {
    if (name === 'since' || name === 'after' || name === 'on')
      since.push(instantKey(sinceInstant(value, calendar)) ?? undefined)
    if (name === 'until' || name === 'on') until.push(instantKey(untilInstant(value, calendar)) ?? undefined)
    if (name === 'before') until.push(instantKey(sinceInstant(value, calendar)) ?? undefined)
  }
  return { since: sorted(since).at(-1), until: sorted(until)[0] }
}

function sorted(keys: readonly (string | undefined)[]): string[] {
  return keys.filter(key => key !== undefined).sort()
}
