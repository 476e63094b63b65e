import { firstRow, laterBelow } from '../../../model/search/row-numbers.ts'
import type { Clue } from '../../../model/search/search-query.ts'
import * as tuning from '../../../model/search/tuning.ts'
import { allEnded } from '../../budget/budget.ts'
import type { ClauseGroup, Times } from '../clause-groups.ts'
import type { RowNumber } from '../search-rows.ts'
import type { SearchScope } from '../search-scope.ts'
import {
  type Asked,
  allOf,
  expressionsWithin,
  groupsWithLater,
  lookUpSome,
  splitGroups,
} from './asked-groups.ts'

/** The newest visible rows that contain all of some clues, each in a field that may be seen in that row. */
export interface Postings {
  /** The first rows of their records, newest first, then the later rows. */
  rows: number[]
  /** The number of records among them. */
  records: number
  capped: boolean
  /** Whether no record that contains the clues is missing. */
  isWhole: boolean
}

/** First rows below one position and at or above another. */
export interface FirstRows {
  below: number
  from?: number
}

/** The rows of at most `most` records that contain all of the clues. */
export async function findPostings(
  scope: SearchScope,
  clues: readonly Clue[],
  most: number,
  areAllNeeded = true,
): Promise<Postings> {
  const [first, later] = await scope.lookUpEach([
    () => firstRowsHolding(scope, clues, most, areAllNeeded),
    () => laterRowsHolding(scope, clues),
  ])
  return postings(first, later, most)
}

/** The rows of at most `most` records; later ones are added only if there are not too many first rows already. */
export async function findPostingsIfFew(
  scope: SearchScope,
  clues: readonly Clue[],
  most: number,
): Promise<Postings> {
  const first = await firstRowsHolding(scope, clues, most, false)
  return postings(first, first.length > most ? [] : await laterRowsHolding(scope, clues), most)
}

/** The newest first rows of records, whatever they contain. */
export async function newestRows(
  scope: SearchScope,
  most: number,
  within: FirstRows = { below: scope.below },
): Promise<readonly number[]> {
  const found = await scope.lookUpEach(
    scope.groups.map(group => () => newestOfGroup(scope, group, allOf([]), most, within)),
  )
  return newestOfAll(scope, found).slice(0, most)
}

async function firstRowsHolding(
  scope: SearchScope,
  clues: readonly Clue[],
  most: number,
  areAllNeeded = true,
): Promise<readonly number[]> {
  const { near, far, from } = await splitGroups(scope, allOf(clues), lookedUp(most))
  if (scope.isFiltered) {
    const lookUp = (group: ClauseGroup) => newestOfGroup(scope, group, allOf(clues), most + 1)
    return newestOfAll(scope, await lookUpSome(scope, [...near, ...far], lookUp))
  }
  const lookUp = (groups: readonly ClauseGroup[]) =>
    allEnded(groups.map(group => firstOfGroup(scope, group, clues, most, areAllNeeded)))
  const newest = newestOfAll(scope, await lookUp(near))
  if (far.length === 0 || scope.order.positionOf(newest[most] ?? 0) >= from) return newest
  return newestOfAll(scope, [newest, ...(await lookUp(far))])
}

/** The newest first rows whose title contains all of the clues, about `most`. */
export async function titledRows(
  scope: SearchScope,
  clues: readonly Clue[],
  most: number,
  groups: readonly ClauseGroup[] = scope.groups,
): Promise<readonly number[]> {
  const titled = groups.filter(({ titleCodes }) => titleCodes.length > 0)
  const found = await scope.lookUpEach(
    titled.map(group => () => firstOfGroup(scope, { ...group, codes: group.titleCodes }, clues, most)),
  )
  return newestOfAll(scope, found).slice(0, most)
}

/** The rows of several groups merged, each once and newest first. */
export function newestOfAll(scope: SearchScope, found: readonly (readonly number[])[]): readonly number[] {
  const [only] = found
  return only && found.length === 1 ? only : scope.order.sorted([...new Set(found.flat())])
}

/** The newest visible first rows of records; more than `most` if there are more, of which not all may be needed. */
async function firstOfGroup(
  scope: SearchScope,
  group: ClauseGroup,
  clues: readonly Clue[],
  most: number,
  areAllNeeded = true,
): Promise<readonly number[]> {
  if (scope.isFiltered) return newestOfGroup(scope, group, allOf(clues), most + 1)
  const words = { all: allOf(clues)(group.codes) }
  const spare = Math.ceil(most * tuning.SPARE_ROWS)
  const few = most < tuning.MOST_RECORDS ? spare : tuning.FEW_POSTINGS
  const wanted = lookedUp(most)
  const ids = await scope.match(words, { below: scope.below }, wanted)
  if (ids.length < few) return scope.visibleIds(group, ids)
  // Usually nearly all rows may be seen, and these are enough. Only a narrow scope is made part of the lookup.
  const newest = await scope.visibleIds(group, ids.slice(0, spare), areAllNeeded)
  return newest.length > most || ids.length < wanted
    ? newest
    : newestOfGroup(scope, group, allOf(clues), most + 1)
}

/** How many rows are looked up to find so many visible ones. */
function lookedUp(most: number): number {
  const spare = Math.ceil(most * tuning.SPARE_ROWS)
  return most < tuning.MOST_RECORDS ? spare : Math.max(tuning.FEW_POSTINGS, spare)
}

/** The newest visible first rows of records, at most `most`. */
export async function newestOfGroup(
  scope: SearchScope,
  group: ClauseGroup,
  asked: Asked,
  most: number,
  { below: start, from = 0 }: FirstRows = { below: scope.below },
): Promise<number[]> {
  const expression = { all: expressionsWithin(group, asked) }
  const { times, mustCheckRows } = group
  const found: number[] = []
  let below = start
  for (let size = most; found.length < most; ) {
    const ids = await scope.match(expression, { below, times }, size)
    const possible = await scope.possible(ids)
    const shown = mustCheckRows || scope.isFiltered ? await scope.shownPlaces(group, possible) : null
    const passing = shown && (await scope.passing(shown, most - found.length))
    for (const row_id of passing ? passing.rows.map(row => row.row_id) : ids) found.push(row_id)
    below = scope.order.positionOf(ids.at(-1) ?? 0)
    // Without a lower bound PostgreSQL is free to use the word index.
    if (ids.length < size || below < from || passing?.isWhole === false) break
    size = Math.min(tuning.MOST_ROWS_AT_ONCE, size * 2)
  }
  return found.slice(0, most).filter(row_id => scope.order.positionOf(row_id) >= from)
}

/** Which later rows of long records are looked up. */
export interface LaterRows {
  most: number
  /** The most of one record. */
  mostOfRecord?: number
  /** Those of records of this time; null means any. */
  times?: Times | null
  /** Whether the filter is left to the caller. */
  isUnfiltered?: boolean
}

/** Later rows of long records that contain all of the clues. */
export async function laterRowsHolding(
  scope: SearchScope,
  clues: readonly Clue[],
  within: LaterRows = { most: tuning.MOST_LATER_ROWS },
): Promise<RowNumber[]> {
  const found = await laterRows(scope, allOf(clues), within)
  if (found.length >= within.most) scope.isTruncated = true
  return found
}

/** Each group is looked up separately: a row of one may contain the words in fields that only another grants. */
export async function laterRows(scope: SearchScope, asked: Asked, within: LaterRows): Promise<RowNumber[]> {
  if (!(await scope.hasLaterRows())) return []
  const { near, far } = await splitGroups(scope, asked, tuning.FEW_POSTINGS, { later: true })
  const withLater = await groupsWithLater(scope)
  const groups = far.length === 0 ? withLater.filter(group => near.includes(group)) : withLater
  const found = await lookUpSome(scope, groups, group => laterOfGroup(scope, group, asked, within))
  const rows = new Map(found.flat().map(row => [row.row_id, row]))
  return someOfEachRecord(scope, rows, within)
}

async function laterOfGroup(
  scope: SearchScope,
  group: ClauseGroup,
  asked: Asked,
  {
    most,
    mostOfRecord = tuning.MOST_LATER_ROWS_OF_RECORD,
    times: within = null,
    isUnfiltered = false,
  }: LaterRows,
): Promise<RowNumber[]> {
  const expression = { all: expressionsWithin(group, asked) }
  const times = within ?? group.times
  const found: RowNumber[] = []
  const isNeeded = fewOfEachRecord(mostOfRecord)
  let below = laterBelow(scope.below)
  for (let size = tuning.MOST_LATER_ROWS_OF_RECORD; found.length < most; ) {
    const ids = await scope.match(expression, { below, times, later: true }, size)
    if (ids.length === 0) break
    const places = await scope.places(ids)
    const shown = places.filter(place => scope.shows(group, place))
    const needed = shown.filter(isNeeded)
    const passing = isUnfiltered
      ? { rows: needed, isWhole: true }
      : await scope.passing(needed, most - found.length)
    for (const row of passing.rows) found.push(row)
    const last = places.at(-1)
    if (!last || ids.length < size || !passing.isWhole) break
    // The later rows of a record have consecutive ids: once there are enough of the last record, the rest are skipped.
    const ofLast = places.filter(place => firstRow(place) === firstRow(last))
    below = scope.order.positionOf(last.row_id)
    if (ofLast.length >= mostOfRecord) below = laterBelow(scope.order.positionOf(firstRow(last)))
    size = Math.min(tuning.MOST_ROWS_AT_ONCE, size * 2)
  }
  return found
}

function postings(newest: readonly number[], later: readonly RowNumber[], most: number): Postings {
  const first = newest.slice(0, most)
  const records = later.length === 0 ? first.length : new Set([...first, ...later.map(firstRow)]).size
  const rows = [...first, ...new Set(later.map(row => row.row_id))]
  const capped = newest.length > most
  return { rows, records, capped, isWhole: !capped && later.length < tuning.MOST_LATER_ROWS }
}

/** The newest later rows, with a limit for each record, so that one long text does not crowd out the others. */
function someOfEachRecord(
  { order }: SearchScope,
  rows: ReadonlyMap<number, RowNumber>,
  { most, mostOfRecord }: LaterRows,
): RowNumber[] {
  const newest = order.sorted([...rows.keys()]).map(row_id => rows.get(row_id) as RowNumber)
  const later = newest.filter(row => row.row_no > 0)
  return later.filter(fewOfEachRecord(mostOfRecord)).slice(0, most)
}

function fewOfEachRecord(most = tuning.MOST_LATER_ROWS_OF_RECORD): (row: RowNumber) => boolean {
  const counts = new Map<number, number>()
  return row => {
    const count = (counts.get(firstRow(row)) ?? 0) + 1
    counts.set(firstRow(row), count)
    return count <= most
  }
}
