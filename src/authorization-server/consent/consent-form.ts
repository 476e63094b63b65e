import { type Choice, type OfferedStream, SHARE_NOTHING } from '../../model/access/consent.ts'
import type { Grant } from '../../model/access/grant.ts'
import { choiceLike } from '../../model/access/known-choice.ts'
import { timeKey } from '../../model/declaration/keys.ts'
import { CodedError } from '../../model/errors.ts'
import { instantMs, isoText, type TimeZone } from '../../model/time.ts'
import type { Calendar } from '../../model/time-bounds.ts'

export const LIFETIMES: readonly { id: string; label: string; hours: number | null }[] = [
  { id: '1h', label: 'One hour', hours: 1 },
  { id: '1d', label: 'One day', hours: 24 },
  { id: '7d', label: 'One week', hours: 7 * 24 },
  { id: '30d', label: '30 days', hours: 30 * 24 },
  { id: '90d', label: '90 days', hours: 90 * 24 },
  { id: '365d', label: 'One year', hours: 365 * 24 },
  { id: 'forever', label: 'Until I remove it', hours: null },
]
const DEFAULT_LIFETIME = '30d'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The content of the form: the choice in terms of the model, and what belongs only to the form. */
export interface ConsentForm {
  choice: Choice
  /** all, 30d, 12m or custom; times are in the choice. */
  range: string
  lifetime: string
  /** The numbers of the details for which the owner has allowed use in AI training. */
  training: ReadonlySet<string>
}

/**
 * The initial form: what was asked for and is not sensitive, for any time, for 30 days. For a known app that asks for
 * nothing in particular, what it had before.
 */
export function presetForm(offered: readonly OfferedStream[], had: readonly Grant[]): ConsentForm {
  const training = new Set<string>()
  if (had.length > 0) {
    const choice = choiceLike(offered, had)
    const range = choice.since === null && choice.until === null ? 'all' : 'custom'
    return { choice, range, lifetime: lifetimeLike(had), training }
  }
  return {
    choice: {
      sets: new Map(offered.map(each => [each.key, each.preset])),
      fields: new Map(offered.map(each => [each.key, each.ticked])),
      since: null,
      until: null,
    },
    range: 'all',
    lifetime: DEFAULT_LIFETIME,
    training,
  }
}

/** The longest lifetime that these grants were made with. */
function lifetimeLike(grants: readonly Grant[]): string {
  const hours = grants.map(({ issued_at, expires_at }) =>
    expires_at === undefined ? null : (Date.parse(expires_at) - Date.parse(issued_at)) / HOUR_MS,
  )
  if (hours.includes(null)) return 'forever'
  const longest = Math.max(...hours.map(Number))
  // A grant that was added later was made for a shorter time than the others.
  return LIFETIMES.find(each => each.hours !== null && each.hours >= longest - 1)?.id ?? DEFAULT_LIFETIME
}

export function readConsentForm(
  form: URLSearchParams,
  offered: readonly OfferedStream[],
  { zone, now }: Calendar,
): ConsentForm {
  const range = form.get('range') ?? 'all'
  const lifetime = form.get('lifetime') ?? DEFAULT_LIFETIME
  if (!LIFETIMES.some(({ id }) => id === lifetime)) throw invalid('Choose one of the durations.', 'lifetime')
  return {
    choice: {
      sets: new Map(offered.map(({ key }) => [key, form.get(`share:${key}`) ?? SHARE_NOTHING])),
      fields: new Map(offered.map(({ key }) => [key, form.getAll(`field:${key}`)])),
      ...bounds(range, form.get('since'), form.get('until'), { zone, now }),
    },
    range,
    lifetime,
    training: new Set(form.getAll('training')),
  }
}

/** Days are in the owner's time zone. */
function bounds(
  range: string,
  since: string | null,
  until: string | null,
  { zone, now }: Calendar,
): { since: string | null; until: string | null } {
  const daysAgo = (days: number) => startKey(zone.dayOf(now.getTime() - days * DAY_MS), zone)
  if (range === '30d') return { since: daysAgo(30), until: null }
  if (range === '12m') return { since: daysAgo(365), until: null }
  if (range !== 'custom') return { since: null, until: null }
  return { since: day(since, 'since', zone), until: day(until, 'until', zone) }
}

function day(text: string | null, param: string, zone: TimeZone): string | null {
  if (text === null || text === '') return null
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || timeKey(text) === null)
    throw invalid('A day is written like 2026-01-31.', param)
  return startKey(text, zone)
}

function startKey(day: string, zone: TimeZone): string | null {
  return timeKey(isoText(zone.startOfDay(day)))
}

/** The form's fields again, with times that no longer depend on when the form is read. */
export function formFields(
  { choice, lifetime }: ConsentForm,
  offered: readonly OfferedStream[],
  zone: TimeZone,
): [string, string][] {
  const streams = offered.flatMap(({ key }): [string, string][] => [
    [`share:${key}`, choice.sets.get(key) ?? SHARE_NOTHING],
    ...(choice.fields.get(key) ?? []).map((field): [string, string] => [`field:${key}`, field]),
  ])
  const bounded = choice.since !== null || choice.until !== null
  return [
    ...streams,
    ['range', bounded ? 'custom' : 'all'],
    ['since', dayOf(choice.since, zone)],
    ['until', dayOf(choice.until, zone)],
    ['lifetime', lifetime],
  ]
}

/** The day of an instant key, as a form contains it; empty if there is no bound. */
export function dayOf(key: string | null, zone: TimeZone): string {
  return key === null ? '' : zone.dayOf(instantMs(key.slice(1)))
}

/** The latest time at which a grant of this lifetime ends. */
export function expiryOf(lifetime: string, now: Date): string | null {
  const hours = LIFETIMES.find(({ id }) => id === lifetime)?.hours ?? null
  return hours === null ? null : new Date(now.getTime() + hours * HOUR_MS).toISOString()
}

function invalid(message: string, param: string): CodedError {
  return new CodedError('invalid_request', message, { param })
}
