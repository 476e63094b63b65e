import { grantsField, type Source } from '../access/enforce.ts'
import { formatOf } from '../declaration/declaration.ts'
import { orderKey } from '../declaration/keys.ts'
import { CodedError } from '../errors.ts'
import { type Json, type JsonObject, own } from '../json.ts'
import { instantKey, isoText, isWithoutTime, TimeZone } from '../time.ts'
import { compareKeys } from './filter.ts'
import { foldOf, type Metric, type MetricFold } from './metric-fold.ts'

export interface AggregateQuery {
  metric: Metric
  field: string | null
  group_by: string | null
  group_by_time: string | null
  granularity: Granularity | null
  time_zone: string
  limit: number
  /** The order of time buckets. */
  order: 'asc' | 'desc'
  /** A field that divides each group further. */
  split_by: string | null
  split_limit: number
}

/** As JSON text, because numbers beyond a double would be lost as values when they leave a worker. */
export type AggregateResult = string

/** A key with its number of records, or with the value of another metric. */
type Figure = { key: Json } & ({ count: number } | { value: Json })

interface Figures {
  value?: Json
  groups?: (Figure & { splits?: Figure[]; other_count?: number })[]
  other_count?: number
  other_groups?: number
  filtered_record_count: number
  /** For each connection that was read. */
  counts: Record<string, number>
}

/**
 * Refuses what the declaration of a source's stream does not offer, and lists what it does. In a source that does not
 * grant the field, records count as having no value, whatever it declares.
 */
export function assertAggregatable(query: AggregateQuery, source: Source): void {
  const { stream } = source
  const offered = stream.query?.aggregations ?? {}
  const demand = (field: string | null, kind: keyof typeof offered, param: string) => {
    if (field === null || !grantsField(source, field)) return
    const declared = offered[kind]
    const fields = Array.isArray(declared) ? declared.filter(name => grantsField(source, name)) : []
    if (fields.includes(field)) return
    const message =
      fields.length === 0
        ? `No readable field of stream ${stream.name} supports ${kind}. Repeat the request without it.`
        : `Stream ${stream.name} declares ${kind} on: ${fields.join(', ')}.`
    throw new CodedError('invalid_request', message, { param })
  }
  if (query.metric !== 'count') demand(query.field, query.metric, 'field')
  else if (offered.count !== true)
    throw new CodedError('invalid_request', `Stream ${stream.name} declares no count.`, { param: 'metric' })
  demand(query.group_by, 'group_by', 'group_by')
  demand(query.group_by_time, 'group_by_time', 'group_by_time')
  demand(query.split_by, 'group_by', 'split_by')
}

interface Group {
  key: Json
  count: number
  fold: MetricFold
  splits: Groups
}
type Groups = Map<string, Group>

/**
 * Adds up visible records, one at a time and exactly. The order in which integers are added does not change the result.
 */
export class Aggregation {
  readonly #query: AggregateQuery
  readonly #buckets: TimeBuckets | null
  readonly #groups: Groups = new Map()
  readonly #all: MetricFold
  readonly #counts: Record<string, number> = {}

  constructor(query: AggregateQuery) {
    this.#query = query
    this.#buckets = query.granularity ? new TimeBuckets(query.granularity, query.time_zone) : null
    this.#all = foldOf(query.metric)
  }

  add(data: JsonObject, source: Source): void {
    const { field, group_by, group_by_time, split_by } = this.#query
    this.#count(source, 1)
    const value = field === null ? undefined : own(data, field)
    const format = field === null ? undefined : formatOf(source.stream, field)
    this.#all.add(value, format)
    if (group_by === null && group_by_time === null) return
    const key =
      group_by === null ? this.#bucket(own(data, group_by_time ?? '')) : groupKey(own(data, group_by))
    const group = this.#addTo(this.#groups, key, 1)
    group.fold.add(value, format)
    if (split_by === null) return
    this.#addTo(group.splits, groupKey(own(data, split_by)), 1).fold.add(value, format)
  }

  /** Adds records of which only the number is known. */
  addCounted(source: Source, time: string | null, count: number): void {
    this.#count(source, count)
    if (this.#query.group_by_time === null) return
    this.#addTo(this.#groups, time === null ? null : (this.#buckets?.bucketOf(time) ?? null), count)
  }

  /** Adds records of which only the text that groups them is known. */
  addNamed(source: Source, text: string, count: number): void {
    this.#count(source, count)
    this.#addTo(this.#groups, text, count)
  }

  #count({ connection_id }: Source, count: number): void {
    this.#counts[connection_id] = (this.#counts[connection_id] ?? 0) + count
  }

  #bucket(value: Json | undefined): Json {
    return typeof value === 'string' ? (this.#buckets?.bucketOf(value) ?? null) : null
  }

  #addTo(groups: Groups, key: Json, count: number): Group {
    const name = JSON.stringify(key)
    let group = groups.get(name)
    if (!group) {
      group = { key, count: 0, fold: foldOf(this.#query.metric), splits: new Map() }
      groups.set(name, group)
    }
    group.count += count
    return group
  }

  result(): AggregateResult {
    return JSON.stringify(this.#figures())
  }

  #figures(): Figures {
    const { metric, group_by, group_by_time, limit, order, split_by, split_limit } = this.#query
    const counts = this.#counts
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
    if (group_by === null && group_by_time === null)
      return { value: metric === 'count' ? all : this.#all.value(), filtered_record_count: all, counts }
    const groups = group_by_time === null ? this.#ranked(this.#groups) : inTime(this.#groups, order)
    const shown = groups.slice(0, limit).map(group => {
      if (split_by === null) return this.#figure(group)
      const splits = this.#ranked(group.splits)
      return {
        ...this.#figure(group),
        splits: splits.slice(0, split_limit).map(split => this.#figure(split)),
        other_count: countOf(splits.slice(split_limit)),
      }
    })
    const left = groups.slice(limit)
    return {
      groups: shown,
      other_count: countOf(left),
      other_groups: left.length,
      filtered_record_count: all,
      counts,
    }
  }

  /** By the metric, then by count and key. Groups without a value come last. */
  #ranked(groups: Groups): Group[] {
    const sign = this.#query.metric === 'min' ? 1 : -1
    return [...groups.values()]
      .map(group => ({ group, rank: group.fold.rank() }))
      .sort((a, b) => {
        if (a.rank === b.rank)
          return b.group.count - a.group.count || compareGroupKeys(a.group.key, b.group.key)
        if (a.rank === null || b.rank === null) return a.rank === null ? 1 : -1
        return sign * compareKeys(a.rank, b.rank)
      })
      .map(({ group }) => group)
  }

  #figure({ key, count, fold }: Group): Figure {
    return this.#query.metric === 'count' ? { key, count } : { key, value: fold.value() }
  }
}

function countOf(groups: readonly Group[]): number {
  return groups.reduce((sum, group) => sum + group.count, 0)
}

/** Records without a time come last in both orders. */
function inTime(groups: Groups, order: AggregateQuery['order']): Group[] {
  const sign = order === 'asc' ? 1 : -1
  return [...groups.values()].sort(
    (a, b) => compareGroupKeys(a.key, b.key) * (a.key === null || b.key === null ? 1 : sign),
  )
}

function groupKey(value: Json | undefined): Json {
  return value === undefined || orderKey(value) === null ? null : value
}

function compareGroupKeys(a: Json, b: Json): number {
  const [x, y] = [orderKey(a), orderKey(b)]
  if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1
  return compareKeys(x, y)
}

export const GRANULARITIES = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const
export type Granularity = (typeof GRANULARITIES)[number]

const DAY_MS = 24 * 60 * 60_000

/** Assigns instants to buckets of local time; a bucket is named by its start, a week by its Monday. */
export class TimeBuckets {
  readonly #granularity: Granularity
  readonly #zone: TimeZone | null

  constructor(granularity: Granularity, timeZone: string) {
    this.#granularity = granularity
    this.#zone = timeZone === 'UTC' ? null : new TimeZone(timeZone)
  }

  /** The bucket of an RFC 3339 text or an instant key; null if it is not a time. A date is the same in every zone. */
  bucketOf(time: string): string | null {
    const key = instantKey(time)
    if (key === null) return null
    const isLocal = this.#zone === null || isWithoutTime(key)
    const local = isLocal ? key : this.#zone.wallClock(Date.parse(`${key.slice(0, 17)}00Z`))
    return name(this.#granularity, local)
  }
}

function name(granularity: Granularity, iso: string): string {
  switch (granularity) {
    case 'minute':
      return iso.slice(0, 16)
    case 'hour':
      return iso.slice(0, 13)
    case 'day':
      return iso.slice(0, 10)
    case 'week': {
      const day = Date.parse(iso.slice(0, 10))
      const sinceMonday = (new Date(day).getUTCDay() + 6) % 7
      return isoText(day - sinceMonday * DAY_MS).slice(0, 10)
    }
    case 'month':
      return iso.slice(0, 7)
    case 'quarter':
      return `${iso.slice(0, 4)}-Q${Math.ceil(Number(iso.slice(5, 7)) / 3)}`
    case 'year':
      return iso.slice(0, 4)
  }
}
