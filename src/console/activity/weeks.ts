import { readActivity } from '../../api/owner/activity.ts'
import type { ReplyOf } from '../../api/route.ts'
import type { Times } from '../../pages/times.ts'
import { dayText } from '../../pages/words.ts'
import { disclosuresOf } from '../apps/app-reads.ts'
import type { Visit } from '../visit.ts'

export type AppWeek = ReplyOf<typeof readActivity>['data'][number]

/** One week by its Monday, with what each app did in it. */
export interface Week {
  monday: string
  apps: AppWeek[]
}

/** This week, from 16 November 2026. */
export function weekName(monday: string, times: Times): string {
  const weeksAgo = (Date.parse(times.weekOf(times.now.toISOString())) - Date.parse(monday)) / (DAYS * DAY_MS)
  const said = ['This week, from', 'Last week, from'][weeksAgo] ?? 'Week of'
  return `${said} ${dayText(monday)}`
}

const WEEKS_AT_ONCE = 4
const DAYS = 7
const DAY_MS = 86_400_000

/** The last weeks in which apps asked for something, and the Monday before which there are more. */
export async function readWeeks(
  visit: Visit,
  before: string | undefined,
): Promise<{ shown: Week[]; earlier: string | null }> {
  const newest = await lastBefore(visit, before)
  if (newest === null) return { shown: [], earlier: null }
  const first = Date.parse(visit.times.weekOf(newest))
  const mondays = Array.from({ length: WEEKS_AT_ONCE }, (_, index) =>
    new Date(first - index * DAYS * DAY_MS).toISOString().slice(0, 10),
  )
  const weeks = await Promise.all(mondays.map(monday => readWeek(visit, monday)))
  const oldest = mondays.at(-1) ?? ''
  const more = await lastBefore(visit, visit.times.weekBounds(oldest)?.since)
  return { shown: weeks.filter(({ apps }) => apps.length > 0), earlier: more === null ? null : oldest }
}

async function lastBefore(visit: Visit, until: string | undefined): Promise<string | null> {
  const wanted = until === undefined ? {} : { until }
  const { disclosures } = await disclosuresOf(visit, { ...wanted, most: 1 })
  return disclosures[0]?.at ?? null
}

async function readWeek(visit: Visit, monday: string): Promise<Week> {
  const query = { ...visit.times.weekBounds(monday), parts: DAYS }
  const { data } = await visit.call(readActivity, {}, { query })
  return { monday, apps: data }
}
