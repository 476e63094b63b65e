import { type Choice, type OfferedStream, SHARE_NOTHING } from '../../model/access/consent.ts'
import { timeKey } from '../../model/declaration/keys.ts'
import { CodedError } from '../../model/errors.ts'

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

/** What the form says: the choice as the model knows it, and what is only of the form. */
export interface ConsentForm {
  choice: Choice
  /** all, 30d, 12m or custom; times are in the choice. */
  range: string
  lifetime: string
  /** The details, by number, whose use for training AI models the owner has ticked. */
  training: ReadonlySet<string>
}

/** The form as it is at first: what was asked for and is not sensitive, of any time, for 30 days. */
export function presetForm(offered: readonly OfferedStream[]): ConsentForm {
  return {
    choice: {
      sets: new Map(offered.map(each => [each.key, each.preset])),
      fields: new Map(offered.map(each => [each.key, each.ticked])),
      since: null,
      until: null,
    },
    range: 'all',
    lifetime: DEFAULT_LIFETIME,
    training: new Set(),
  }
}

export function readConsentForm(
  form: URLSearchParams,
  offered: readonly OfferedStream[],
  now: Date,
): ConsentForm {
  const range = form.get('range') ?? 'all'
  const lifetime = form.get('lifetime') ?? DEFAULT_LIFETIME
  if (!LIFETIMES.some(({ id }) => id === lifetime)) throw invalid('Choose one of the durations.', 'lifetime')
  return {
    choice: {
      sets: new Map(offered.map(({ key }) => [key, form.get(`share:${key}`) ?? SHARE_NOTHING])),
      fields: new Map(offered.map(({ key }) => [key, form.getAll(`field:${key}`)])),
      ...bounds(range, form.get('since'), form.get('until'), now),
    },
    range,
    lifetime,
    training: new Set(form.getAll('training')),
  }
}

function bounds(
  range: string,
  since: string | null,
  until: string | null,
  now: Date,
): { since: string | null; until: string | null } {
  const daysAgo = (days: number) =>
    timeKey(new Date(now.getTime() - days * DAY_MS).toISOString().slice(0, 10))
  if (range === '30d') return { since: daysAgo(30), until: null }
  if (range === '12m') return { since: daysAgo(365), until: null }
  if (range !== 'custom') return { since: null, until: null }
  return { since: day(since, 'since'), until: day(until, 'until') }
}

function day(text: string | null, param: string): string | null {
  if (text === null || text === '') return null
  const key = timeKey(text)
  if (key === null) throw invalid('A day is written like 2026-01-31.', param)
  return key
}

/** The form's fields again, with times that no longer depend on when it is read. */
export function formFields(
  { choice, lifetime }: ConsentForm,
  offered: readonly OfferedStream[],
): [string, string][] {
  const streams = offered.flatMap(({ key }): [string, string][] => [
    [`share:${key}`, choice.sets.get(key) ?? SHARE_NOTHING],
    ...(choice.fields.get(key) ?? []).map((field): [string, string] => [`field:${key}`, field]),
  ])
  const bounded = choice.since !== null || choice.until !== null
  return [
    ...streams,
    ['range', bounded ? 'custom' : 'all'],
    ['since', dayOf(choice.since)],
    ['until', dayOf(choice.until)],
    ['lifetime', lifetime],
  ]
}

/** The day of an instant's key, as a form holds it; empty for no bound. */
export function dayOf(key: string | null): string {
  return key?.slice(1, 11) ?? ''
}

/** When a grant of this lifetime ends at the latest. */
export function expiryOf(lifetime: string, now: Date): string | null {
  const hours = LIFETIMES.find(({ id }) => id === lifetime)?.hours ?? null
  return hours === null ? null : new Date(now.getTime() + hours * HOUR_MS).toISOString()
}

function invalid(message: string, param: string): CodedError {
  return new CodedError('invalid_request', message, { param })
}
