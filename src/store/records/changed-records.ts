import type { Source } from '../../model/access/enforce.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import { compareKeys } from '../../model/reading/filter.ts'
import type { StoredRecord } from '../../model/reading/record.ts'
import { type Change, changeSeen } from '../../model/reading/record-history.ts'
import type { Queryable, Value } from '../engine/database.ts'
import { recordOf, SHOWN_COLUMNS, type ShownRow, scopeOf } from './records.ts'

/**
 * A place in the order of changed records: by record id, because the order of changes could reveal hidden ones (RS-5).
 */
export interface ChangePosition {
  record_key: string
  connection_id: string
}

export interface ChangesArgs {
  owner_id: string
  sources: readonly Source[]
  /** The reader is up to date as of this change. */
  since: number
  /** Later changes are left for the next read. */
  horizon: number
  after: ChangePosition | null
  limit: number
}

export interface SeenChange {
  /** Index into the sources. */
  source: number
  record: StoredRecord
  change: NonNullable<Change>
}

/** With more changed records than this in a stream, its records are read in order instead. */
const FEW_CHANGES = 2_000
const MOST_AT_ONCE = 500

/** The next changes that the grants show, in order; one more than `limit` means that there are more. */
export async function readChanges(database: Queryable, args: ChangesArgs): Promise<SeenChange[]> {
  const { sources, since, horizon, limit } = args
  const indexOf = new Map(sources.map((source, index) => [source.connection_id, index]))
  const found: SeenChange[] = []
  for await (const records of changedRecords(database, args)) {
    for (const record of records) {
      const index = indexOf.get(record.connection_id) ?? 0
      const change = changeSeen(sources[index] as Source, record, since)
      if (!change || change.seq > horizon) continue
      found.push({ source: index, record, change })
      if (found.length > limit) return found
    }
  }
  return found
}

async function* changedRecords(database: Queryable, args: ChangesArgs): AsyncGenerator<StoredRecord[]> {
  const few = args.since === 0 ? null : await fewChanges(database, args)
  if (few) {
    for (let i = 0; i < few.length; i += args.limit + 1)
      yield recordsAt(database, args, few.slice(i, i + args.limit + 1))
    return
  }
  let { after } = args
  for (let size = args.limit + 1; ; size = Math.min(MOST_AT_ONCE, size * 2)) {
    const records = await recordsAfter(database, args, after, size)
    yield records
    const last = records.at(-1)
    if (!last || records.length < size) return
    after = { record_key: recordKey(last.record_id), connection_id: last.connection_id }
  }
}

/** The places of the changed records, in order, found by change number; null if there are many. */
async function fewChanges(
  database: Queryable,
  { owner_id, sources, since, after }: ChangesArgs,
): Promise<ChangePosition[] | null> {
  const places: ChangePosition[] = []
  for (const { connection_id, stream } of sources) {
    const rows = await database.all<{ record_key: string }>(
      `SELECT record_key FROM records
       WHERE owner_id = ? AND connection_id = ? AND stream = ? AND seq > ? ORDER BY seq LIMIT ?`,
      [owner_id, connection_id, stream.name, since, FEW_CHANGES + 1],
    )
    if (rows.length > FEW_CHANGES) return null
    for (const { record_key } of rows) places.push({ record_key, connection_id })
  }
  return places.filter(place => after === null || compare(place, after) > 0).sort(compare)
}

function compare(a: ChangePosition, b: ChangePosition): number {
  return compareKeys(a.record_key, b.record_key) || compareKeys(a.connection_id, b.connection_id)
}

async function recordsAt(
  database: Queryable,
  { owner_id, sources }: ChangesArgs,
  places: readonly ChangePosition[],
): Promise<StoredRecord[]> {
  const records: StoredRecord[] = []
  for (const { connection_id, stream } of sources) {
    const keys = places.filter(place => place.connection_id === connection_id).map(place => place.record_key)
    if (keys.length === 0) continue
    const rows = await database.all<ShownRow>(
      `SELECT ${SHOWN_COLUMNS} FROM records WHERE owner_id = ? AND connection_id = ? AND stream = ?
         AND ${database.oneOf('record_key', 'text')}`,
      [owner_id, connection_id, stream.name, database.list(keys)],
    )
    records.push(...rows.map(recordOf))
  }
  const placeOf = ({ record_id, connection_id }: StoredRecord) => ({
    record_key: recordKey(record_id),
    connection_id,
  })
  return records.sort((a, b) => compare(placeOf(a), placeOf(b)))
}

/**
 * Records and tombstones in order. A reader that starts from the beginning has no records yet, so it gets only visible
 * records.
 */
async function recordsAfter(
  database: Queryable,
  { owner_id, sources, since }: ChangesArgs,
  after: ChangePosition | null,
  limit: number,
): Promise<StoredRecord[]> {
  const params: Value[] = []
  const parts = sources.map((source, index) => {
    const operator = after && compareKeys(source.connection_id, after.connection_id) > 0 ? '>=' : '>'
    const scope =
      since === 0
        ? scopeOf({ owner_id, conditions: new Map() }, source)
        : {
            sql: ['owner_id = ?', 'connection_id = ?', 'stream = ?', 'seq > ?'],
            params: [owner_id, source.connection_id, source.stream.name, since],
          }
    params.push(...scope.params, after?.record_key ?? '', limit)
    return `SELECT * FROM (SELECT ${SHOWN_COLUMNS} FROM records
       WHERE ${scope.sql.join(' AND ')} AND record_key ${operator} ? ORDER BY record_key LIMIT ?) AS a${index}`
  })
  const rows = await database.all<ShownRow>(
    `${parts.join(' UNION ALL ')} ORDER BY record_key, connection_id LIMIT ?`,
    [...params, limit],
  )
  return rows.map(recordOf)
}
