import { type Source, visibleFields } from '../../model/access/enforce.ts'
import { define, type JsonObject } from '../../model/json.ts'
import { type AggregateQuery, type AggregateResult, Aggregation } from '../../model/reading/aggregate.ts'
import { type CompiledCondition, passes, type SelectedSource } from '../../model/reading/filter.ts'
import { type StoredRecord, type VisibleData, visibleData } from '../../model/reading/record.ts'
import { lastChange, type Stamp } from '../../model/reading/record-history.ts'
import { allEnded } from '../budget/budget.ts'
import type { Queryable } from '../engine/database.ts'
import { countedByName, countNamed, findNames, keysOfNames } from '../names/named-records.ts'
import {
  LEFT_UNREAD,
  nextRecords,
  type Order,
  type Position,
  positionOf,
  recordOf,
  SHOWN_COLUMNS,
  type ShownRow,
} from './records.ts'
import { countedByTime, tallied } from './tallies.ts'

/** A read over many records: sources with the conditions compiled for each. */
export interface Selection {
  owner_id: string
  parts: SelectedSource[]
}

export interface PageArgs {
  selection: Selection
  order: Order
  after: Position | null
  limit: number
}

export interface PageRow {
  /** Index into the selection's parts. */
  part: number
  record: StoredRecord
}

/** The next visible records that pass the conditions, in order; one more than `limit` means that there are more. */
export async function readPage(database: Queryable, args: PageArgs): Promise<PageRow[]> {
  const rows: PageRow[] = []
  for await (const batch of visibleRecords(
    database,
    args.selection,
    args.order,
    args.after,
    args.limit + 1,
  )) {
    for (const row of batch) if (rows.length <= args.limit) rows.push(row)
    if (rows.length > args.limit) break
  }
  return rows
}

const FIRST_AT_ONCE = 250
const MOST_AT_ONCE = 1_000
/** Limit on the records' JSON in memory: large records are read a few at a time. */
const MOST_CHARS_AT_ONCE = 1024 * 1024

/** Every visible record that passes, in order and in batches, each checked completely against grant and conditions. */
async function* visibleRecords(
  database: Queryable,
  { owner_id, parts }: Selection,
  order: Order,
  after: Position | null,
  atOnce: number,
): AsyncGenerator<PageRow[]> {
  const sources = parts.map(part => part.source)
  const conditions = new Map(parts.map(part => [part.source, part.conditions]))
  const partOf = new Map(parts.map(({ source }, index) => [source.connection_id, index]))
  const among = await keysByName(database, { owner_id, parts })
  let position = after
  let limit = atOnce
  for (;;) {
    const records = await nextRecords(database, {
      owner_id,
      sources,
      conditions,
      among,
      order,
      after: position,
      limit,
    })
    yield records.flatMap((record): PageRow[] => {
      const index = partOf.get(record.connection_id) ?? 0
      const part = parts[index]
      return part && isVisible(part.source, part.conditions, record) ? [{ part: index, record }] : []
    })
    const last = records.at(-1)
    if (!last || records.length < limit) return
    const part = parts[partOf.get(last.connection_id) ?? 0]
    position = part ? positionOf(part.source, last) : null
    const chars = records.reduce((sum, record) => sum + record.data.length, 0)
    const fitting = Math.ceil(MOST_CHARS_AT_ONCE / (chars / records.length + 1))
    limit = Math.min(MOST_AT_ONCE, limit * 2, fitting)
  }
}

/** The keys of the records that can pass conditions on people, for the sources where the name index is complete. */
async function keysByName(database: Queryable, selection: Selection): Promise<Map<Source, string[]>> {
  const among = new Map<Source, string[]>()
  for (const [source, names] of await findNames(database, selection)) {
    const keys = await keysOfNames(database, names)
    if (keys) among.set(source, keys)
  }
  return among
}

export function isVisible(
  source: Source,
  conditions: readonly CompiledCondition[],
  record: StoredRecord,
): boolean {
  if (record.data === LEFT_UNREAD) return false
  const visible = visibleFields(source, record)
  if (visible === undefined) return false
  if (conditions.length === 0) return true
  const { data, long_texts } = visibleData(source, record, visible)
  return passes(conditions, data, long_texts)
}

export async function countRecords(database: Queryable, selection: Selection): Promise<number> {
  let count = 0
  const names = await findNames(database, selection)
  for (const part of selection.parts) {
    const found = names.get(part.source)
    const named = found ? await countNamed(database, part, found) : null
    if (named !== null) {
      count += named
      continue
    }
    if (part.conditions.length === 0) {
      const counted = await tallied(database, selection.owner_id, part.source, 'all')
      if (counted) {
        count += counted.reduce((sum, { n }) => sum + n, 0)
        continue
      }
    }
    const one = { ...selection, parts: [part] }
    for await (const batch of visibleRecords(database, one, 'asc', null, FIRST_AT_ONCE)) count += batch.length
  }
  return count
}

/** Aggregates every visible record that passes; from the stored tallies or names if they give the same result. */
export async function aggregateRecords(
  database: Queryable,
  { selection, query }: { selection: Selection; query: AggregateQuery },
): Promise<AggregateResult> {
  const aggregation = new Aggregation(query)
  const { owner_id, parts } = selection
  const byTime = await allEnded(parts.map(part => countedByTime(database, owner_id, part, query)))
  for (const [index, part] of parts.entries()) {
    const counted = byTime[index]
    if (counted) {
      for (const { time, n } of counted) aggregation.addCounted(part.source, time, n)
      continue
    }
    const one = { ...selection, parts: [part] }
    const byName = await countedByName(database, owner_id, part, query, () => countRecords(database, one))
    if (byName) {
      for (const { text, n } of byName) aggregation.addNamed(part.source, text, n)
      continue
    }
    for await (const batch of visibleRecords(database, one, 'asc', null, FIRST_AT_ONCE)) {
      for (const { record } of batch) {
        const visible = visibleFields(part.source, record)
        if (visible === undefined) continue
        aggregation.add(withDigests(visibleData(part.source, record, visible)), part.source)
      }
    }
  }
  return aggregation.result()
}

/** A long text is grouped and compared by its digest. */
export function withDigests({ data, long_texts }: VisibleData): JsonObject {
  for (const { path, digest } of long_texts) if (path.length === 1) define(data, path[0] ?? '', digest)
  return data
}

/** When the visible part of a source last changed; null if it shows nothing. Reads the newest changes first. */
export async function lastUpdated(
  database: Queryable,
  { owner_id, source }: { owner_id: string; source: Source },
): Promise<string | null> {
  let latest: Stamp | null = null
  let before = Number.MAX_SAFE_INTEGER
  for (let limit = 10; ; limit = MOST_AT_ONCE) {
    const records = await newestChanges(database, { owner_id, source, before, limit })
    for (const record of records) {
      if (latest && record.seq <= latest[0]) return latest[1]
      const visible = record.deleted ? undefined : visibleFields(source, record)
      if (visible === undefined) continue
      const change = lastChange(source, record, visible)
      if (!latest || change[0] > latest[0]) latest = change
    }
    const last = records.at(-1)
    if (!last || records.length < limit) return latest?.[1] ?? null
    before = last.seq
  }
}

/** A source's records by their last change, newest first, starting before a given change. */
async function newestChanges(
  database: Queryable,
  query: { owner_id: string; source: Source; before: number; limit: number },
): Promise<StoredRecord[]> {
  const { owner_id, source, before, limit } = query
  const rows = await database.all<ShownRow>(
    `SELECT ${SHOWN_COLUMNS} FROM records
     WHERE owner_id = ? AND connection_id = ? AND stream = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
    [owner_id, source.connection_id, source.stream.name, before, limit],
  )
  return rows.map(recordOf)
}
