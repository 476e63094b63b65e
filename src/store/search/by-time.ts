import { compareKeys } from '../../model/reading/filter.ts'
import { type Clue, requiredClues, type SearchQuery } from '../../model/search/search-query.ts'
import { MOST_LATER_ROWS, MOST_SORTED, RECORDS_OF_WINDOW, WIDEST_WINDOW } from '../../model/search/tuning.ts'
import type { TimePosition } from '../records/by-time.ts'
import type { Order } from '../records/records.ts'
import { AFTER_LAST_TIME, FIRST_TIME, type Times } from './clause-groups.ts'
import { withoutExcluded } from './finding/exclusion.ts'
import { type LongRows, likelyHolders, longRows, passingHolders } from './finding/holders.ts'
import { type RowPlace, recordPlace } from './search-rows.ts'
import type { SearchScope } from './search-scope.ts'
import { recordsByDay } from './shown-rows.ts'

export interface TimeOrder {
  order: Order
  after: TimePosition | null
}

const CHECKED_AT_ONCE = 100

/**
 * Adds to `found` the next visible records that contain all clues of a query, by time; one more than `limit` means that
 * there are more. The records found are in order, wherever the budget ends. Returns the last record that was considered if
 * the filter may not read any more, so that another search can continue after it; otherwise null.
 */
export async function findByTime(
  scope: SearchScope,
  { clues, excluded }: SearchQuery,
  { order, after, limit }: TimeOrder & { limit: number },
  found: RowPlace[],
): Promise<TimePosition | null> {
  let considered: TimePosition | null = null
  const wanted = requiredClues(clues)
  const sign = order === 'asc' ? 1 : -1
  const inTurn = (a: TimePosition, b: TimePosition) => comparePositions(a, b) * sign
  const isNext = (row: RowPlace): row is TimedRow =>
    row.time_key !== null && (after === null || inTurn(row as TimedRow, after) > 0)
  const allLong = await allLongRows(scope, wanted)
  const windows = windowsOf(scope, wanted, { order, after, areFew: allLong !== null })
  const long = new Map<number, readonly number[]>()
  async function* rowsInTurn(): AsyncGenerator<TimedRow[]> {
    for await (const { rows: likely, times } of windows) {
      const within = { most: ALL, times, isUnfiltered: true }
      for (const [first, rows] of allLong ?? (await longRows(scope, wanted, within))) long.set(first, rows)
      const isIn = (row: RowPlace): row is TimedRow => isNext(row) && isWithin(row.time_key, times)
      const places = await scope.places([...long.keys()])
      yield [...likely.filter(row => !long.has(row.row_id)).filter(isNext), ...places.filter(isIn)].sort(
        inTurn,
      )
    }
  }
  for await (const rows of inBatches(rowsInTurn())) {
    const { rows: held, decided, isWhole } = await passingHolders(scope, rows, wanted, long)
    for (const row of await without(scope, held, excluded)) {
      found.push(row)
      if (found.length > limit) return null
    }
    considered = rows[decided - 1] ?? considered
    if (!isWhole) return considered
  }
  return null
}

/**
 * The same number of records at a time, wherever stretches of time end: that depends on hidden records, and what was
 * found among records whose texts the budget did not all allow is left out.
 */
async function* inBatches<Row>(parts: AsyncIterable<readonly Row[]>): AsyncGenerator<Row[]> {
  let rows: Row[] = []
  for await (const part of parts)
    for (const row of part) {
      rows.push(row)
      if (rows.length < CHECKED_AT_ONCE) continue
      yield rows
      rows = []
    }
  if (rows.length > 0) yield rows
}

const ALL = Number.POSITIVE_INFINITY

/** The rows of all long records that may contain a clue; null if there are too many to look up at once. */
async function allLongRows(scope: SearchScope, clues: readonly Clue[]): Promise<LongRows | null> {
  const before = scope.isTruncated
  scope.isTruncated = false
  const rows = await longRows(scope, clues, { most: MOST_LATER_ROWS, isUnfiltered: true })
  const areAll = !scope.isTruncated
  scope.isTruncated = before
  return areAll ? rows : null
}

type TimedRow = RowPlace & { time_key: string }

export function comparePositions(a: TimePosition, b: TimePosition): number {
  return (
    compareKeys(a.time_key, b.time_key) ||
    compareKeys(a.record_key, b.record_key) ||
    compareKeys(a.connection_id, b.connection_id) ||
    compareKeys(a.stream, b.stream)
  )
}

function isWithin(time: string, times: Times | null): boolean {
  return times === null || (time >= times.since && time < times.until)
}

/** All likely records at once if there may be few and there are; otherwise one stretch of time after the other. */
async function* windowsOf(
  scope: SearchScope,
  clues: readonly Clue[],
  { order, after, areFew }: TimeOrder & { areFew: boolean },
): AsyncGenerator<{ rows: RowPlace[]; times: Times | null }> {
  const few = areFew ? await fewHolders(scope, clues) : null
  if (few) {
    yield { rows: few, times: null }
    return
  }
  for (const times of await stretches(scope, order)) {
    const isOver = after && (order === 'asc' ? times.until <= after.time_key : times.since > after.time_key)
    if (isOver) continue
    const rows: RowPlace[] = []
    for await (const some of likelyHolders(scope, clues, times)) for (const row of some) rows.push(row)
    yield { rows, times }
  }
}

async function fewHolders(scope: SearchScope, clues: readonly Clue[]): Promise<RowPlace[] | null> {
  const few: RowPlace[] = []
  for await (const rows of likelyHolders(scope, clues)) {
    for (const row of rows) few.push(row)
    if (few.length > MOST_SORTED) return null
  }
  return few
}

/**
 * Stretches of whole days in the requested order, each with about the same number of records; later ones are longer.
 */
async function stretches(scope: SearchScope, order: Order): Promise<Times[]> {
  const days = await recordsByDay(scope)
  if (order === 'desc') days.reverse()
  const parts: string[][] = [[]]
  let [records, most] = [0, RECORDS_OF_WINDOW]
  for (const { day, n } of days) {
    if (records >= most) {
      parts.push([])
      records = 0
      most = Math.min(WIDEST_WINDOW, most * 2)
    }
    parts.at(-1)?.push(day)
    records += n
  }
  const starts = parts.map(part => `t${order === 'asc' ? part[0] : part.at(-1)}`)
  if (order === 'desc') return starts.map((since, i) => ({ since, until: starts[i - 1] ?? AFTER_LAST_TIME }))
  return starts.map((since, i) => ({
    since: i === 0 ? FIRST_TIME : since,
    until: starts[i + 1] ?? AFTER_LAST_TIME,
  }))
}

/** The rows of records that contain nothing excluded. */
export async function without(
  scope: SearchScope,
  rows: readonly RowPlace[],
  excluded: SearchQuery['excluded'],
): Promise<readonly RowPlace[]> {
  if (excluded.length === 0 || rows.length === 0) return rows
  const indexed = await scope.rows(rows.map(({ row_id }) => row_id))
  const candidates = indexed.map(row => ({ row, counts: [], length: 0 }))
  const left = await withoutExcluded(scope, candidates, excluded)
  const places = new Set(left.map(({ row }) => recordPlace(row)))
  return rows.filter(row => places.has(recordPlace(row)))
}
