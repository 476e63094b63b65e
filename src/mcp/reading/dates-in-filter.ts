import { isObject, type JsonObject } from '../../model/json.ts'
import type { Condition } from '../../model/reading/filter.ts'
import { instantKey, TimeZone } from '../../model/time.ts'
import { type Calendar, sinceInstant, untilInstant } from '../../model/time-bounds.ts'
import { compactStreams } from './declared-streams.ts'
import { streamOf } from './meant-fields.ts'
import { conditionsOf, zoneOf } from './narrowing.ts'
import { capabilitiesOf, type ResourceServerClient } from './resource-server-client.ts'

/** Instants between which the records are; the end is excluded. */
type Range = { gte?: string; lt?: string }

/**
 * Arguments in which dates in the filter are whole days, months and years of the owner's calendar, as in `since` and
 * `until`: a time is never equal to a date, and the last day of a range belongs to it. Dates for the time of the records
 * become `since` and `until`.
 */
export async function withDatesInFilter(args: JsonObject, client: ResourceServerClient): Promise<JsonObject> {
  const anywhere = { zone: new TimeZone('UTC'), now: new Date() }
  const conditions = conditionsOf(args)
  if (!conditions.some(each => rangeOf(each, anywhere))) return args
  const stream = streamOf(args, client)
  if (stream === undefined || !(await capabilitiesOf(client)).has('operators')) return args
  // None, if the stream cannot be read: the call itself is then refused.
  const times = timesIn(await compactStreams(client, stream).catch(() => []))
  const calendar = { zone: await zoneOf(args, client, true), now: anywhere.now }
  const filter = { ...(args.filter as JsonObject) }
  const bounds: JsonObject = {}
  for (const field of times.ranged) {
    const own = conditions.filter(each => each.field === field)
    const ranges = own.map(each => rangeOf(each, calendar))
    if (ranges.length === 0 || ranges.some(range => range === null)) continue
    const range: Range = Object.assign({}, ...ranges)
    if (field === times.own && BOUNDING.every(name => args[name] === undefined)) {
      delete filter[field]
      if (range.gte !== undefined) bounds.since = range.gte
      if (range.lt !== undefined) bounds.until = range.lt
    } else filter[field] = range
  }
  const { filter: _, ...others } = args
  return { ...others, ...bounds, ...(Object.keys(filter).length > 0 ? { filter } : {}) }
}

/** Arguments beside which the filter keeps its times: they narrow the same times, or do not go together with bounds. */
const BOUNDING = ['since', 'until', 'changes_since']

/** The instants that a condition with a date describes; null for any other condition. */
function rangeOf({ operator, value }: Condition, calendar: Calendar): Range | null {
  if (instantKey(value) !== null && !/^\d{4}-\d{2}-\d{2}$/.test(value)) return null
  try {
    const [first, after] = [sinceInstant(value, calendar), untilInstant(value, calendar)]
    switch (operator) {
      case 'eq':
        return { gte: first, lt: after }
      case 'gte':
        return { gte: first }
      case 'gt':
        return { gte: after }
      case 'lte':
        return { lt: after }
      case 'lt':
        return { lt: first }
      default:
        return null
    }
  } catch {
    return null
  }
}

interface Times {
  /** The field with the time of the records, by which `since` and `until` work. */
  own: string | null
  /** The fields with a time that accept ranges. */
  ranged: string[]
}

function timesIn(streams: readonly JsonObject[]): Times {
  const [first] = streams
  const own = first?.consent_time_field ?? first?.cursor_field
  const fields = streams.flatMap(({ fields }) => Object.entries(isObject(fields) ? fields : {}))
  const ranged = fields.filter(([, flags]) => isRangedTime(String(flags))).map(([name]) => name)
  return { own: typeof own === 'string' ? own : null, ranged: [...new Set(ranged)] }
}

function isRangedTime(flags: string): boolean {
  const [, operators = ''] = / r=(\S+)/.exec(flags) ?? []
  return / f=date-time /.test(flags) && ['gte', 'lt'].every(each => operators.split(',').includes(each))
}
