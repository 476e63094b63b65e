import { createHash } from 'node:crypto'
import {
  openedFields,
  type PlainData,
  type PlainGrant,
  type PlainSource,
  visibleNames,
} from './brute-force-grant.ts'

/** A live record with every version since it was last created. */
export interface PlainRecord {
  source: PlainSource
  id: string
  versions: { order: number; emitted_at: string; data: PlainData }[]
}

/** The visible part of a record. */
export interface Seen {
  source: PlainSource
  id: string
  /** The visible fields, whether the record has them or not. */
  names: string[]
  data: PlainData
  changed: { order: number; emitted_at: string }
}

export type Kind = 'text' | 'number' | 'boolean' | 'time' | 'mixed' | 'nested'

export interface Condition {
  field: string
  kind: Kind
  operator: 'eq' | 'gte' | 'gt' | 'lte' | 'lt' | 'contains' | 'in'
  value: string
  /** For `in`: the other accepted values. */
  others: string[]
}

export function seenOf(grants: PlainGrant[], records: PlainRecord[]): Seen[] {
  const all: Seen[] = []
  for (const { source, id, versions } of records) {
    const now = versions.at(-1)
    const names = now && visibleNames(grants, source, id, now.data)
    if (!names) continue
    let changed = versions[0] as PlainRecord['versions'][number]
    for (const [index, version] of versions.entries()) {
      const before = versions[index - 1]
      if (before && !same(only(before.data, names), only(version.data, names))) changed = version
    }
    all.push({ source, id, names, data: only(now.data, names), changed })
  }
  return all
}

export function only(data: PlainData, names: readonly string[]): PlainData {
  return Object.fromEntries(Object.entries(data).filter(([name]) => names.includes(name)))
}

function same(a: PlainData, b: PlainData): boolean {
  const text = (data: PlainData) => JSON.stringify(Object.entries(data).sort(([x], [y]) => (x < y ? -1 : 1)))
  return text(a) === text(b)
}

export function passes(conditions: Condition[], data: PlainData): boolean {
  return conditions.every(({ field, kind, operator, value, others }): boolean => {
    if (operator === 'contains') return [data[field]].flat().some(item => contains(item, value))
    if (operator === 'in')
      return [value, ...others].some(one =>
        passes([{ field, kind, operator: 'eq', value: one, others: [] }], data),
      )
    const [own, asked] = [rank(data[field], kind), rank(readValue(kind, value), kind)]
    if (!own || !asked || own[0] !== asked[0]) return false
    const order = compareRanks(own, asked)
    return { eq: order === 0, gte: order >= 0, gt: order > 0, lte: order <= 0, lt: order < 0 }[operator]
  })
}

/** Text contains the value, ignoring case; other values must equal it. Long texts are not searched. */
function contains(item: unknown, value: string): boolean {
  if (typeof item === 'number') return item === Number(value) && value.trim() !== ''
  if (typeof item === 'boolean') return String(item) === value
  if (typeof item !== 'string' || Array.from(item).length > 16_384) return false
  const plain = (text: string) => text.normalize('NFC').toLowerCase()
  return plain(item).includes(plain(value))
}

function readValue(kind: Kind, text: string): unknown {
  return kind === 'number' ? Number(text) : kind === 'boolean' ? text === 'true' : text
}

type Rank = [type: number, value: number | string]

/** Numbers, then booleans, then texts, then times; null for values without an order. */
export function rank(value: unknown, kind: Kind): Rank | null {
  if (typeof value === 'number') return [0, value]
  if (typeof value === 'boolean') return [1, Number(value)]
  if (typeof value !== 'string') return null
  return kind === 'time' ? [3, Date.parse(value)] : [2, value]
}

function compareRanks(a: Rank, b: Rank): number {
  if (a[0] !== b[0]) return a[0] - b[0]
  if (typeof a[1] === 'number') return a[1] - (b[1] as number)
  return compareTexts(a[1], b[1] as string)
}

export function compareTexts(a: string, b: string): number {
  const [x, y] = [Array.from(a), Array.from(b)]
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const order = (x[i]?.codePointAt(0) ?? 0) - (y[i]?.codePointAt(0) ?? 0)
    if (order !== 0) return order
  }
  return x.length - y.length
}

/** A hidden cursor field does not affect the order: such records come last, like those without a value. */
export function inOrder(
  grants: PlainGrant[],
  seen: Seen[],
  kindOf: (field: string) => Kind,
  order: 'asc' | 'desc',
): Seen[] {
  const key = ({ source, data }: Seen): Rank | null => {
    const field = source.cursorField
    const opening = grants.map(grant => openedFields(grant, source)).filter(fields => fields.length > 0)
    if (field === null || !opening.every(fields => fields.includes(field))) return null
    return rank(data[field], kindOf(field))
  }
  const way = order === 'asc' ? 1 : -1
  return seen.toSorted((a, b) => {
    const [x, y] = [key(a), key(b)]
    if ((x === null) !== (y === null)) return x === null ? 1 : -1
    const byKey = x && y ? compareRanks(x, y) : 0
    return way * (byKey || compareTexts(a.id, b.id) || compareTexts(a.source.connection, b.source.connection))
  })
}

/** A truncated text, as an answer lists it. */
interface Cut {
  field_path: string
  size_chars: number
  returned_chars: number
  digest: string
}

export function cut(value: unknown, most: number, path: string[] = []): { value: unknown; cuts: Cut[] } {
  if (typeof value === 'string') {
    const characters = Array.from(value)
    if (characters.length <= most) return { value, cuts: [] }
    const digest = `sha256:${createHash('sha256').update(value).digest('hex')}`
    const pointer = path.map(part => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
    const [field = ''] = path
    const field_path = path.length === 1 ? field : pointer
    return {
      value: characters.slice(0, most).join(''),
      cuts: [{ field_path, size_chars: characters.length, returned_chars: most, digest }],
    }
  }
  if (typeof value !== 'object' || value === null) return { value, cuts: [] }
  const parts = Object.entries(value).map(([key, child]) => ({ key, ...cut(child, most, [...path, key]) }))
  const cuts = parts.flatMap(part => part.cuts)
  if (Array.isArray(value)) return { value: parts.map(part => part.value), cuts }
  return { value: Object.fromEntries(parts.map(part => [part.key, part.value])), cuts }
}

export interface Aggregation {
  metric: 'count' | 'sum' | 'min' | 'max' | 'count_distinct'
  field: string | null
  group_by: string | null
  group_by_time: string | null
  granularity: string | null
  /** Minutes that the time zone is ahead of UTC. */
  ahead: number
  limit: number
  order: 'asc' | 'desc'
  split_by: string | null
  split_limit: number
}

/** A minimum or maximum is returned as its rank, because the same time can be written in several ways. */
export function aggregate(asked: Aggregation, seen: Seen[], kindOf: (field: string) => Kind): object {
  const measured = (rows: Seen[]): unknown => {
    const { metric, field } = asked
    if (metric === 'count' || field === null) return rows.length
    const ranks = rows.map(({ data }) => rank(data[field], kindOf(field))).filter(one => one !== null)
    if (metric === 'sum')
      return ranks.reduce((sum, [type, value]) => sum + (type === 0 ? Number(value) : 0), 0)
    if (metric === 'count_distinct') return new Set(ranks.map(one => JSON.stringify(one))).size
    if (ranks.length === 0) return null
    return ranks.reduce((best, one) => (compareRanks(one, best) < 0 === (metric === 'min') ? one : best))
  }
  const { group_by, group_by_time, limit, split_by, split_limit } = asked
  if (group_by === null && group_by_time === null) {
    return { value: measured(seen), filtered_record_count: seen.length }
  }
  const byMetric = (a: Group, b: Group): number => {
    const [x, y] = [measured(a.rows), measured(b.rows)]
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1
    if (typeof x === 'number' && typeof y === 'number') return Math.abs(y) - Math.abs(x)
    return asked.metric === 'min' ? compareRanks(x as Rank, y as Rank) : compareRanks(y as Rank, x as Rank)
  }
  const figureOf = ({ key, rows }: Group) => ({
    key,
    [asked.metric === 'count' ? 'count' : 'value']: measured(rows),
  })
  const keyOf = ({ data }: Seen): unknown =>
    group_by_time === null ? (data[group_by ?? ''] ?? null) : bucketOf(asked, data[group_by_time])
  const groups = grouped(seen, keyOf, group_by_time === null ? byMetric : asked.order)
  return {
    groups: groups.slice(0, limit).map(group => {
      if (split_by === null) return figureOf(group)
      const splits = grouped(group.rows, ({ data }) => data[split_by] ?? null, byMetric)
      return {
        ...figureOf(group),
        splits: splits.slice(0, split_limit).map(figureOf),
        other_count: splits.slice(split_limit).flatMap(({ rows }) => rows).length,
      }
    }),
    other_count: groups.slice(limit).flatMap(({ rows }) => rows).length,
    other_groups: Math.max(0, groups.length - limit),
    filtered_record_count: seen.length,
  }
}

interface Group {
  key: unknown
  rows: Seen[]
}

/** Ordered by time, ascending or descending, or by a figure, then by count. Groups without a key come last. */
function grouped(
  seen: Seen[],
  keyOf: (row: Seen) => unknown,
  order: 'asc' | 'desc' | ((a: Group, b: Group) => number),
): Group[] {
  const groups = [...Map.groupBy(seen, row => JSON.stringify(keyOf(row)))].map(([name, rows]) => ({
    key: JSON.parse(name) as unknown,
    rows,
  }))
  return groups.sort((a, b) => {
    const byCount = typeof order === 'string' ? 0 : order(a, b) || b.rows.length - a.rows.length
    const [x, y] = [rank(a.key, 'text'), rank(b.key, 'text')]
    if (!x || !y) return byCount || (x === y ? 0 : x ? -1 : 1)
    return byCount || (order === 'desc' ? compareRanks(y, x) : compareRanks(x, y))
  })
}

function bucketOf({ granularity, ahead }: Aggregation, value: unknown): string | null {
  if (typeof value !== 'string') return null
  const at = Date.parse(value)
  // Midnight in UTC stands for a date, which is the same in every zone.
  const local = new Date(at % 86_400_000 === 0 ? at : at + ahead * 60_000)
  const iso = local.toISOString()
  if (granularity === 'hour') return iso.slice(0, 13)
  if (granularity === 'day') return iso.slice(0, 10)
  if (granularity === 'month') return iso.slice(0, 7)
  if (granularity === 'year') return iso.slice(0, 4)
  if (granularity === 'quarter') return `${iso.slice(0, 4)}-Q${Math.floor(local.getUTCMonth() / 3) + 1}`
  while (local.getUTCDay() !== 1) local.setUTCDate(local.getUTCDate() - 1)
  return local.toISOString().slice(0, 10)
}
