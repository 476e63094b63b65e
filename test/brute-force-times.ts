import type { Seen } from './brute-force-query.ts'
import { type Client, FIELD, type Refusal, type World } from './checked-client.ts'
import { randomTime } from './random-world.ts'

const MINUTE = 60_000
const DAY = 1_440 * MINUTE
/** How many minutes each zone is ahead of UTC in the months of the random worlds. */
export const ZONES = [
  ['UTC', 0],
  ['Asia/Kolkata', 330],
  ['America/New_York', -300],
] as const

/** What a query calls a time: its first instant, and the first one after it. Both are the same if it is an instant. */
interface Span {
  text: string
  start: number
  end: number
}

export interface AskedTimes {
  isBound: boolean
  /** Whether a record is within the bounds by its visible time; one without such a time is outside of all bounds. */
  holds(row: Seen): boolean
}

/** Sometimes bounds the time, by instants as parameters and by days and months of a zone as operators. */
export function askTimes(
  { random }: Client,
  query: URLSearchParams,
  operators: string[],
  ahead: number,
): AskedTimes {
  const [since, until]: [number[], number[]] = [[], []]
  const isFrom = (time: number, at: number) => {
    const midnight = at + ahead * MINUTE
    const day = midnight % DAY === 0 && midnight < at ? midnight : null
    return time >= at || time === day
  }
  for (const name of ['since', 'until'] as const) {
    if (!random.chance(0.15)) continue
    const text = random.chance(0.5) ? randomTime(random) : `2026-02-0${random.integer(1, 3)}`
    query.set(name, text)
    const bounds = name === 'since' ? since : until
    bounds.push(Date.parse(text))
  }
  if (random.chance(0.2)) {
    const { text, start, end } = randomSpan(random, ahead)
    const operator = random.pick(['since', 'after', 'until', 'before', 'on'])
    operators.push(`${operator}:${text}`)
    if (operator !== 'until' && operator !== 'before') since.push(start)
    if (operator === 'until' || operator === 'on') until.push(end)
    if (operator === 'before') until.push(start)
  }
  const isBound = since.length + until.length > 0
  const holds = ({ source, data }: Seen) => {
    const time = Date.parse(String(source.anyTime && data[source.anyTime]))
    if (!isBound || Number.isNaN(time)) return !isBound
    return since.every(at => isFrom(time, at)) && !until.some(at => isFrom(time, at))
  }
  return { isBound, holds }
}

/** The sources whose time may be seen. If none has such a time, the expected refusal is added to `due`. */
export function timedSources(
  client: Client,
  sources: World['sources'],
  { isBound }: AskedTimes,
  due: Refusal[],
): World['sources'] {
  if (!isBound) return sources
  const able = sources.filter(source => client.fieldsOf(source).some(field => field === source.anyTime))
  if (able.length === 0 && sources.some(({ anyTime }) => anyTime !== null)) due.push(FIELD)
  return able
}

function randomSpan(random: Client['random'], ahead: number): Span {
  const local = (year: number, month: number, date: number) => Date.UTC(year, month, date) - ahead * MINUTE
  const [month, date] = [random.integer(0, 1), random.integer(1, 3)]
  const named = `2026-0${month + 1}`
  return random.pick<() => Span>([
    () => {
      const text = randomTime(random)
      return { text, start: Date.parse(text), end: Date.parse(text) }
    },
    () => ({ text: named, start: local(2026, month, 1), end: local(2026, month + 1, 1) }),
    () => ({ text: `${named}-0${date}`, start: local(2026, month, date), end: local(2026, month, date + 1) }),
    () => {
      const at = local(2026, month, date) + 750 * MINUTE
      return { text: `${named}-0${date}T12:30`, start: at, end: at }
    },
  ])()
}
