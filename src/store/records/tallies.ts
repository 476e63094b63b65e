import { IMPORT_STATES, type ImportState } from '../../api/owner/imports.ts'
import { grantsFieldThroughout, type Source } from '../../model/access/enforce.ts'
import { timeField } from '../../model/declaration/declaration.ts'
import type { AggregateQuery } from '../../model/reading/aggregate.ts'
import type { SelectedSource } from '../../model/reading/filter.ts'
import { allEnded } from '../budget/budget.ts'
import type { Queryable } from '../engine/database.ts'
import { isUnbounded, timeColumn } from './records.ts'

/** A number of live records with the same time; null if they have no time. */
interface Counted {
  time: string | null
  n: number
}

/** The records of a source by time, without reading them; null if their time alone cannot answer the query. */
export async function countedByTime(
  database: Queryable,
  owner_id: string,
  { source, conditions }: SelectedSource,
  query: AggregateQuery,
): Promise<Counted[] | null> {
  const { metric, group_by, group_by_time, split_by, granularity, time_zone } = query
  if (metric !== 'count' || group_by !== null || split_by !== null || conditions.length > 0) return null
  if (group_by_time !== null) {
    if (group_by_time !== timeField(source.stream) || !grantsFieldThroughout(source, group_by_time))
      return null
    // Tallies are per UTC day.
    if (time_zone !== 'UTC' || granularity === 'hour' || granularity === 'minute')
      return countedByMinute(database, owner_id, source)
  }
  const unit = granularity === 'year' || granularity === 'month' ? granularity : 'day'
  const days = await tallied(database, owner_id, source, group_by_time === null ? 'all' : unit)
  return days?.map(({ day, n }) => ({ time: day === '' ? null : day, n })) ?? null
}

/** Live records per minute, from their keys alone; null if the grant names records or has several clauses. */
async function countedByMinute(
  database: Queryable,
  owner_id: string,
  source: Source,
): Promise<Counted[] | null> {
  const [clause] = source.clauses
  const isOpen = isUnbounded(source)
  if (!isOpen && (!clause || source.clauses.length > 1 || clause.record_ids)) return null
  const column = timeColumn(source)
  const place = [owner_id, source.connection_id, source.stream.name]
  // A bound excludes records without a time.
  const bounds = isOpen ? [] : [clause?.since ?? 't', clause?.until ?? 'u']
  // A key that is not a time, such as a number in the same field, has no minute. Only a date has none of its own either.
  const minute = `CASE WHEN ${column} LIKE 't%${MIDNIGHT}' THEN substr(${column}, 2, 10)
    WHEN ${column} LIKE 't%' THEN substr(${column}, 2, 16) END`
  const rows = await database.all<{ minute: string | null; n: number }>(
    `SELECT ${minute} AS minute, CAST(count(*) AS BIGINT) AS n FROM records
     WHERE owner_id = ? AND connection_id = ? AND stream = ? AND deleted = 0${isOpen ? '' : ` AND ${column} >= ? AND ${column} < ?`} GROUP BY 1`,
    [...place, ...bounds],
  )
  return rows.map(({ minute, n }) => ({ time: minute === null ? null : timeIn(minute), n }))
}

/** A date, or a time in a minute that is not taken for a date. */
function timeIn(minute: string): string {
  return minute.length === DATE_CHARS ? minute : `${minute}:30Z`
}

interface Tally {
  day: string
  n: number
}

const SUM = 'CAST(coalesce(sum(n), 0) AS BIGINT) AS n'

/** How many live records a stream has, visible or not. */
export async function liveRecords(
  database: Queryable,
  { owner_id, connection_id, stream }: { owner_id: string; connection_id: string; stream: string },
): Promise<number> {
  const sql = `SELECT ${SUM} FROM tallies WHERE owner_id = ? AND connection_id = ? AND stream = ?`
  return (await database.get<{ n: number }>(sql, [owner_id, connection_id, stream]))?.n ?? 0
}

/** What is read from the tallies, and how it is grouped: a month and a year are named by their first day. */
const UNITS = {
  day: { columns: 'day, n', grouped: '' },
  month: {
    columns: `CASE day WHEN '' THEN '' ELSE substr(day, 1, 7) || '-01' END AS day, ${SUM}`,
    grouped: 'GROUP BY 1',
  },
  year: {
    columns: `CASE day WHEN '' THEN '' ELSE substr(day, 1, 4) || '-01-01' END AS day, ${SUM}`,
    grouped: 'GROUP BY 1',
  },
  all: { columns: `'' AS day, ${SUM}`, grouped: '' },
} as const

/**
 * Live records per UTC day, per larger unit under its first day, or in total, within a single clause's time bounds;
 * null if tallies cannot answer.
 */
export async function tallied(
  database: Queryable,
  owner_id: string,
  source: Source,
  unit: keyof typeof UNITS,
): Promise<Tally[] | null> {
  const place = [owner_id, source.connection_id, source.stream.name]
  const [clause] = source.clauses
  const { columns, grouped } = UNITS[unit]
  const select = `SELECT ${columns} FROM tallies WHERE owner_id = ? AND connection_id = ? AND stream = ? AND n <> 0`
  if (isUnbounded(source) || !clause) return database.all<Tally>(`${select} ${grouped}`, place)
  if (source.clauses.length > 1 || clause.record_ids) return null
  const column = timeColumn(source)
  const [since, until] = [clause.since ?? 't', clause.until ?? 'u']
  if (until <= since) return []
  const firstWhole = since.slice(11) === MIDNIGHT ? since.slice(1, 11) : `${since.slice(1, 11)}~`
  const edges: [string, string][] = []
  const sinceDayEnd = clause.since !== null && firstWhole.endsWith('~') ? `t${since.slice(1, 11)}U` : null
  const untilDayStart =
    clause.until !== null && until.slice(11) !== MIDNIGHT ? `t${until.slice(1, 11)}T` : null
  if (sinceDayEnd && untilDayStart && since.slice(1, 11) === until.slice(1, 11)) edges.push([since, until])
  else {
    if (sinceDayEnd) edges.push([since, sinceDayEnd])
    if (untilDayStart) edges.push([untilDayStart, until])
  }
  const days = database.all<Tally>(`${select} AND day >= ? AND day < ? AND day <> '' ${grouped}`, [
    ...place,
    clause.since === null ? '' : firstWhole,
    clause.until === null ? '~' : until.slice(1, 11),
  ])
  const parts = edges.map(async ([from, to]) => {
    const row = await database.get<{ n: number }>(
      `SELECT count(*) AS n FROM records
       WHERE owner_id = ? AND connection_id = ? AND stream = ? AND deleted = 0 AND ${column} >= ? AND ${column} < ?`,
      [...place, from, to],
    )
    return row && row.n > 0 ? [{ day: from.slice(1, 11), n: row.n }] : []
  })
  return (await allEnded([days, ...parts])).flat()
}

const MIDNIGHT = 'T00:00:00.000000000Z'
const DATE_CHARS = '2026-01-31'.length

export interface Census {
  connections: number
  records: number
  imports: Record<ImportState, number>
}

/** How much data an owner has, as numbers only. */
export async function census(db: Queryable, owner_id: string): Promise<Census> {
  const [connections, records, imports] = await Promise.all([
    db.get<{ n: number }>('SELECT COUNT(*) AS n FROM connections WHERE owner_id = ?', [owner_id]),
    db.get<{ n: number }>('SELECT CAST(coalesce(sum(n), 0) AS BIGINT) AS n FROM tallies WHERE owner_id = ?', [
      owner_id,
    ]),
    db.all<{ state: ImportState; n: number }>(
      'SELECT state, COUNT(*) AS n FROM imports WHERE owner_id = ? GROUP BY state',
      [owner_id],
    ),
  ])
  const of = (state: ImportState) => imports.find(row => row.state === state)?.n ?? 0
  return {
    connections: connections?.n ?? 0,
    records: records?.n ?? 0,
    imports: Object.fromEntries(IMPORT_STATES.map(state => [state, of(state)])) as Census['imports'],
  }
}
