import { grantsField, type Source } from '../access/enforce.ts'
import { formatOf, type StreamDeclaration } from '../declaration/declaration.ts'
import { orderKey } from '../declaration/keys.ts'
import { CodedError } from '../errors.ts'
import { isRawNumber, type Json, type JsonObject, type RawNumber } from '../json.ts'
import { compareKeys } from './filter.ts'
import { type Granularity, TimeBuckets } from './time-buckets.ts'

export const METRICS = ['count', 'sum', 'min', 'max', 'count_distinct'] as const
export type Metric = (typeof METRICS)[number]

export interface AggregateQuery {
  metric: Metric
  field: string | null
  group_by: string | null
  group_by_time: string | null
  granularity: Granularity | null
  time_zone: string
  limit: number
}

/** As JSON text: numbers beyond a double would not survive as values when they leave a worker. */
export type AggregateResult = string

interface Figures {
  value?: Json
  groups?: ({ key: Json; count: number } | { key: Json; value: Json })[]
  other_count?: number
  filtered_record_count: number
}

/**
 * Refuses what the declaration of a source's stream does not offer, with the list of what it does. A source that does
 * not open the field has records without a value, whatever it declares.
 */
export function assertAggregatable(query: AggregateQuery, source: Source): void {
  const { stream } = source
  const offered = stream.query?.aggregations ?? {}
  const demand = (field: string | null, kind: keyof typeof offered, param: string) => {
    if (field === null || !grantsField(source, field)) return
    const declared = offered[kind]
    const fields = Array.isArray(declared) ? declared.filter(name => grantsField(source, name)) : []
    if (fields.includes(field)) return
    const list = fields.join(', ') || 'none'
    throw new CodedError('invalid_request', `Stream ${stream.name} declares ${kind} on: ${list}.`, { param })
  }
  if (query.metric !== 'count') demand(query.field, query.metric, 'field')
  else if (offered.count !== true)
    throw new CodedError('invalid_request', `Stream ${stream.name} declares no count.`, { param: 'metric' })
  demand(query.group_by, 'group_by', 'group_by')
  demand(query.group_by_time, 'group_by_time', 'group_by_time')
}

interface Group {
  key: Json
  count: number
  fold: MetricFold
}

/** Adds up visible records, one at a time and exactly; the order of adding does not change an integer result. */
export class Aggregation {
  readonly #query: AggregateQuery
  readonly #buckets: TimeBuckets | null
  readonly #groups = new Map<string, Group>()
  readonly #all: MetricFold
  #count = 0

  constructor(query: AggregateQuery) {
    this.#query = query
    this.#buckets = query.granularity ? new TimeBuckets(query.granularity, query.time_zone) : null
    this.#all = foldOf(query.metric)
  }

  add(data: JsonObject, stream: StreamDeclaration): void {
    const { field, group_by, group_by_time } = this.#query
    this.#count++
    const value = field === null ? undefined : own(data, field)
    const format = field === null ? undefined : formatOf(stream, field)
    this.#all.add(value, format)
    if (group_by !== null) this.#group(groupKey(own(data, group_by))).fold.add(value, format)
    if (group_by_time !== null) this.#group(this.#bucket(own(data, group_by_time))).fold.add(value, format)
  }

  /** Adds records that are known only as a number of records in a time bucket. */
  addCounted(time: string | null, count: number): void {
    this.#count += count
    if (this.#query.group_by_time === null) return
    this.#group(time === null ? null : (this.#buckets?.bucketOf(time) ?? null), count)
  }

  #bucket(value: Json | undefined): Json {
    return typeof value === 'string' ? (this.#buckets?.bucketOf(value) ?? null) : null
  }

  #group(key: Json, count = 1): Group {
    const name = JSON.stringify(key)
    let group = this.#groups.get(name)
    if (!group) {
      group = { key, count: 0, fold: foldOf(this.#query.metric) }
      this.#groups.set(name, group)
    }
    group.count += count
    return group
  }

  result(): AggregateResult {
    return JSON.stringify(this.#figures())
  }

  #figures(): Figures {
    const { metric, group_by, group_by_time, limit } = this.#query
    if (group_by === null && group_by_time === null) {
      return {
        value: metric === 'count' ? this.#count : this.#all.value(),
        filtered_record_count: this.#count,
      }
    }
    const byKey = (a: Group, b: Group) => compareGroupKeys(a.key, b.key)
    const order = group_by_time === null ? (a: Group, b: Group) => b.count - a.count || byKey(a, b) : byKey
    const groups = [...this.#groups.values()].sort(order)
    const other = groups.slice(limit).reduce((sum, group) => sum + group.count, 0)
    return {
      groups: groups
        .slice(0, limit)
        .map(({ key, count, fold }) => (metric === 'count' ? { key, count } : { key, value: fold.value() })),
      other_count: other,
      filtered_record_count: this.#count,
    }
  }
}

function own(data: JsonObject, field: string): Json | undefined {
  return Object.hasOwn(data, field) ? data[field] : undefined
}

function groupKey(value: Json | undefined): Json {
  return value === undefined || orderKey(value) === null ? null : value
}

function compareGroupKeys(a: Json, b: Json): number {
  const [x, y] = [orderKey(a), orderKey(b)]
  if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1
  return compareKeys(x, y)
}

interface MetricFold {
  add(value: Json | undefined, format: string | undefined): void
  value(): Json
}

function foldOf(metric: Metric): MetricFold {
  switch (metric) {
    case 'count':
      return { add: () => {}, value: () => null }
    case 'sum':
      return new Sum()
    case 'min':
      return new Extreme(-1)
    case 'max':
      return new Extreme(1)
    case 'count_distinct':
      return new Distinct()
  }
}

class Sum implements MetricFold {
  #whole = 0n
  #fractions = 0
  #fractional = false

  add(value: Json | undefined): void {
    const text = typeof value === 'number' ? String(value) : isRawNumber(value) ? value.rawJSON : null
    if (text === null) return
    if (/^-?\d+$/.test(text)) this.#whole += BigInt(text)
    else {
      this.#fractional = true
      this.#fractions += Number(text)
    }
  }

  value(): Json {
    if (this.#fractional) return Number(this.#whole) + this.#fractions
    const number = Number(this.#whole)
    if (Number.isSafeInteger(number)) return number
    return (JSON as unknown as { rawJSON(text: string): RawNumber }).rawJSON(String(this.#whole))
  }
}

class Extreme implements MetricFold {
  readonly #sign: 1 | -1
  #key: string | null = null
  #value: Json = null

  constructor(sign: 1 | -1) {
    this.#sign = sign
  }

  add(value: Json | undefined, format: string | undefined): void {
    const key = orderKey(value, format)
    if (key === null || value === undefined) return
    if (this.#key === null || compareKeys(key, this.#key) * this.#sign > 0) {
      this.#key = key
      this.#value = value
    }
  }

  value(): Json {
    return this.#value
  }
}

class Distinct implements MetricFold {
  readonly #keys = new Set<string>()

  add(value: Json | undefined, format: string | undefined): void {
    const key = orderKey(value, format)
    if (key !== null) this.#keys.add(key)
  }

  value(): Json {
    return this.#keys.size
  }
}
