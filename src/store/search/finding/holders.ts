import type { MatchCount } from '../../../api/search.ts'
import { firstRow, firstRowOf, rowId } from '../../../model/search/row-numbers.ts'
import { type Clue, requiredClues, type SearchQuery } from '../../../model/search/search-query.ts'
import { MOST_COUNTED, MOST_ROWS_AT_ONCE } from '../../../model/search/tuning.ts'
import type { Times } from '../clause-groups.ts'
import type { RowPlace } from '../search-rows.ts'
import type { SearchScope } from '../search-scope.ts'
import { countInTexts, countWords, holdsAll, loadTexts } from './clue-counts.ts'
import { expressionsOf } from './clue-expressions.ts'
import type { Candidate, Found } from './finder.ts'
import { type LaterRows, laterRowsHolding } from './postings.ts'
import type { Passing } from './record-filter.ts'
import { holdingToo, partsOf } from './rows-among.ts'

const FIRST_AT_ONCE = 1_200

/**
 * The visible records that contain all clues, in batches and each once, as a row that contains one of them. Those that
 * contain all clues in their first row need not be looked up if they are already known.
 */
export async function* holdersOf(
  scope: SearchScope,
  clues: readonly Clue[],
  {
    later,
    inFirst = null,
    rarest = null,
  }: { later: LaterRows; inFirst?: readonly RowPlace[] | null; rarest?: Found['rarest'] },
): AsyncGenerator<readonly RowPlace[]> {
  const known = new Set<number>()
  for await (const held of inFirst ? [inFirst] : holdersInFirst(scope, clues)) {
    for (const row of held) known.add(row.row_id)
    yield held
  }
  if (rarest && !(await haveLater(scope, rarest))) return
  const rows = [...(await longRows(scope, clues, later)).values()].flat()
  yield (await holdingInAny(scope, rows, clues)).filter(row => !known.has(firstRow(row)))
}

/** Whether one of the rows belongs to a record with several rows. */
async function haveLater(scope: SearchScope, row_ids: readonly number[]): Promise<boolean> {
  const seconds = new Set(row_ids.map(row_id => rowId(firstRowOf(row_id), 1)))
  return (await scope.hasLaterRows()) && (await scope.places([...seconds])).length > 0
}

async function* holdersInFirst(
  scope: SearchScope,
  clues: readonly Clue[],
): AsyncGenerator<readonly RowPlace[]> {
  for await (const places of likelyHolders(scope, clues)) {
    const { rows, isWhole } = await passingHolders(scope, places, clues)
    yield rows
    if (!isWhole) return
  }
}

/**
 * Visible first rows that contain all clues according to the index, newest first, whatever the filter. Texts and fields
 * decide.
 */
export async function* likelyHolders(
  scope: SearchScope,
  clues: readonly Clue[],
  within: Times | null = null,
): AsyncGenerator<readonly RowPlace[]> {
  const { groups } = scope
  const byTexts = areTexts(clues)
  const codes = [...new Set(groups.flatMap(group => group.codes))]
  const scopeWords = [...new Set(groups.flatMap(group => group.scopeWords))]
  const [words = [], ...others] = partsOf(clues.flatMap(clue => expressionsOf(clue, codes)))
  const narrowed = [{ any: scopeWords.map(word => ({ word })) }, ...words]
  const times = within ?? (groups.length === 1 ? (groups[0]?.times ?? null) : null)
  let below = scope.below
  // Usually nearly all rows may be seen. The scope is made part of the lookup only if there are many rows.
  let all = words
  for (let size = FIRST_AT_ONCE; ; size = Math.min(MOST_ROWS_AT_ONCE, size * 2)) {
    const ids = await scope.match({ all }, { below, times }, size)
    const likely = await holdingToo(scope.lookUp, await scope.possible(ids), others)
    // A record may be visible, but none of the fields that are searched.
    const places = (await scope.places(likely)).filter(place => scope.open(place)?.codes.length)
    yield byTexts && groups.length > 1 ? await likelyInOpenFields(scope, places, clues) : places
    const last = ids.at(-1)
    if (last === undefined || ids.length < size) return
    below = scope.order.positionOf(last)
    all = narrowed
  }
}

/** The rows of long records that may contain a clue, by the number of their record's first row, which is one of them. */
export type LongRows = ReadonlyMap<number, readonly number[]>

/**
 * The records that contain all clues in visible fields and pass the filter, given by their first rows: of a long record
 * any of its rows may contain a clue, otherwise the first one must contain all. With several groups, a field that is open
 * in one of them may be hidden in a record of another: whether it contains the clues must not decide how many others are
 * read.
 */
export async function passingHolders(
  scope: SearchScope,
  places: readonly RowPlace[],
  clues: readonly Clue[],
  long: LongRows = new Map(),
): Promise<Passing<RowPlace>> {
  const holdersAmong = async (rows: readonly RowPlace[]) => {
    const short = rows.filter(({ row_id }) => !long.has(row_id))
    const holding: ReadonlySet<RowPlace> = new Set(await holdingInFirst(scope, short, clues))
    const several = rows.flatMap(({ row_id }) => long.get(row_id) ?? [])
    const ofLong = new Map((await holdingInAny(scope, several, clues)).map(row => [firstRow(row), row]))
    return rows.flatMap(row => ofLong.get(row.row_id) ?? (holding.has(row) ? row : []))
  }
  if (scope.groups.length === 1) {
    const passing = await scope.passing(places)
    return { ...passing, rows: await holdersAmong(passing.rows) }
  }
  const holders = await holdersAmong(places)
  const passing = await scope.passing(holders)
  const undecided = holders[passing.decided]
  const decided = undecided && places.findIndex(({ row_id }) => row_id === firstRow(undecided))
  return { ...passing, decided: decided ?? places.length }
}

/** The rows whose visible fields contain all clues in the first row of the record. */
async function holdingInFirst(
  scope: SearchScope,
  places: readonly RowPlace[],
  clues: readonly Clue[],
): Promise<readonly RowPlace[]> {
  // With several groups, a field that is open in one of them may be hidden in this row.
  if (!areTexts(clues) && scope.groups.length === 1) return places
  const counted = await countAny(scope, ids(places), clues, [clues])
  const holding = new Set(counted.filter(one => holdsAll(one, clues, clues)).map(({ row }) => row.row_id))
  return places.filter(({ row_id }) => holding.has(row_id))
}

/**
 * The rows that contain all clues according to the index, each in the fields that are open in it: which texts are read,
 * and counted for the budget, must not depend on others.
 */
async function likelyInOpenFields(
  scope: SearchScope,
  places: readonly RowPlace[],
  clues: readonly Clue[],
): Promise<RowPlace[]> {
  const codesOf = (place: RowPlace) => scope.open(place)?.codes ?? []
  const likely = new Set<number>()
  for (const some of Map.groupBy(places, place => codesOf(place).join()).values()) {
    const codes = codesOf(some[0] as RowPlace)
    const asked = clues.flatMap(clue => expressionsOf(clue, codes))
    for (const id of await holdingToo(scope.lookUp, ids(some), partsOf(asked))) likely.add(id)
  }
  return places.filter(({ row_id }) => likely.has(row_id))
}

/** The long records with a later row that contains some clue according to the index, whose texts may still decide. */
export async function longRows(
  scope: SearchScope,
  clues: readonly Clue[],
  within: LaterRows,
): Promise<LongRows> {
  const lookUps = clues.map(clue => () => laterRowsHolding(scope, [clue], within))
  const later = (await scope.lookUpEach(lookUps)).flat()
  const rows = new Map<number, Set<number>>()
  for (const row of later) {
    const first = firstRow(row)
    rows.set(first, (rows.get(first) ?? new Set([first])).add(row.row_id))
  }
  return new Map([...rows].map(([first, own]) => [first, [...own]]))
}

/** The records that contain all clues in some of their rows that are given, each as the first one with a clue. */
async function holdingInAny(
  scope: SearchScope,
  row_ids: readonly number[],
  clues: readonly Clue[],
): Promise<RowPlace[]> {
  if (row_ids.length === 0) return []
  const single = clues.map(clue => [clue])
  const records = Map.groupBy(await countAny(scope, row_ids, clues, single), ({ row }) => firstRow(row))
  return [...records.values()].flatMap(candidates => {
    const all = clues.every((_, i) => candidates.some(({ counts }) => (counts[i] ?? 0) > 0))
    const [first] = candidates.map(({ row }) => row).sort((a, b) => a.row_no - b.row_no)
    return all && first ? [first] : []
  })
}

/** Whether texts must be read to decide. */
function areTexts(clues: readonly Clue[]): boolean {
  return clues.some(({ kind }) => kind !== 'word')
}

function ids(places: readonly RowPlace[]): number[] {
  return places.map(({ row_id }) => row_id)
}

/** Counts by the index if that is enough, otherwise in the texts. */
async function countAny(
  scope: SearchScope,
  row_ids: readonly number[],
  clues: readonly Clue[],
  groups: readonly (readonly Clue[])[],
): Promise<Candidate[]> {
  const candidates: Candidate[] = []
  if (!areTexts(clues)) await countWords(scope, row_ids, clues, candidates)
  else {
    const texts = await loadTexts(scope, row_ids)
    for await (const candidate of countInTexts(scope, texts, clues, groups)) candidates.push(candidate)
  }
  return candidates
}

const SHARE_OF_TIME = 0.5
/** One row of a record is enough to count it, because each word is looked up separately. */
const COUNTED_LATER: LaterRows = { most: MOST_COUNTED + 1, mostOfRecord: 1 }

/**
 * How many visible records contain all words of a query, if finding did not count them. Counting does not change what
 * was found.
 */
export async function countMatching(
  scope: SearchScope,
  { clues, excluded }: SearchQuery,
  { timedOnly, found }: { timedOnly: boolean; found: Pick<Found, 'matching' | 'holding' | 'rarest'> | null },
): Promise<MatchCount> {
  const words = requiredClues(clues)
  // Phrases, prefixes and exclusions depend on the texts, and counting them would mean reading all of these.
  if (excluded.length > 0 || words.some(({ kind }) => kind !== 'word')) return NOT_COUNTED
  if (scope.groups.length === 0 || words.length === 0) return exactly(0)
  const { matching = null, holding: inFirst = null, rarest = null } = found ?? {}
  if (matching !== null) return atMostCounted(matching)
  const before = scope.isTruncated
  scope.isTruncated = false
  let count = 0
  await scope.attempt(SHARE_OF_TIME, async () => {
    for await (const rows of holdersOf(scope, words, { later: COUNTED_LATER, inFirst, rarest })) {
      count += (timedOnly ? rows.filter(({ time_key }) => time_key !== null) : rows).length
      if (count > MOST_COUNTED) break
    }
  })
  const partial = scope.isTruncated
  scope.isTruncated = before
  return partial && count <= MOST_COUNTED ? NOT_COUNTED : atMostCounted(count)
}

const NOT_COUNTED: MatchCount = { count: null, count_accuracy: 'not_counted' }

function exactly(count: number): MatchCount {
  return { count, count_accuracy: 'exact' }
}

function atMostCounted(count: number): MatchCount {
  return count > MOST_COUNTED ? { count: MOST_COUNTED, count_accuracy: 'lower_bound' } : exactly(count)
}
