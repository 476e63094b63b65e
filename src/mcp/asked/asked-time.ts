import { type AskedTime, timesIn } from '../../model/search/query-dates.ts'
import { isStopKey, keyOf } from '../../model/text/words.ts'
import { instantKey } from '../../model/time.ts'
import type { Calendar } from '../../model/time-bounds.ts'

const PERIODS = [
  ['day', 'day|tag|día|jour', '天日'],
  ['week', 'week|woche|semana|semaine', '周週'],
  ['month', 'month|monat|mes|mois', '月'],
  ['year', 'year|jahr|año|an', '年'],
].map(
  ([name = '', words, signs]) =>
    [
      name,
      new RegExp(
        `(?<!\\p{L})(?:per|each|every|pro|jede[ns]?|por|cada|par|chaque)\\s+(?:${words})(?!\\p{L})|每[${signs}]`,
        'giu',
      ),
    ] as const,
)

function periodIn(query: string) {
  return PERIODS.find(([, named]) => query.search(named) >= 0)
}

/** The period for each of which a query asks for a figure, as `granularity` accepts it. */
export function askedPeriod(query: string): string | undefined {
  return periodIn(query)?.[0]
}

export function withoutPeriod(query: string): string {
  const period = periodIn(query)
  return period ? query.replace(period[1], ' ') : query
}

/** The time that a text names, if it names only one. A month without a year is each March; the last one is meant. */
export function onlyTime(text: string, calendar: Calendar): AskedTime | null {
  const times = timesIn(text, calendar)
  if (new Set(times.map(({ words }) => words.join(' '))).size !== 1) return null
  const now = `t${instantKey(calendar.now.toISOString())}`
  return times.find(({ since }) => since <= now) ?? times[0] ?? null
}

const FROM = /^(?:since|after|seit|desde|depuis)(?!\p{L})/iu

/** A longer text is not a question of a known form. */
export const LONGEST_QUESTION = 300

/** A text without the time at its end, and that time as bounds accept it. */
export function timeAtEnd(
  text: string,
  calendar: Calendar,
): { rest: string; since?: string; until?: string } {
  const words = text.split(/\s+/)
  for (let first = 0; first < words.length; first++) {
    const end = words.slice(first).join(' ')
    const time = onlyTime(end, calendar)
    const isWhole = (end.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).every(word => {
      const key = keyOf(word)
      return time?.words.includes(key) || isStopKey(key) || FROM.test(word)
    })
    if (time === null || !isWhole) continue
    const rest = words.slice(0, first).join(' ')
    return { rest, since: time.name, ...(FROM.test(end) ? {} : { until: time.name }) }
  }
  return { rest: text }
}
