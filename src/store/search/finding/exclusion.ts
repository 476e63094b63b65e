import { countPacked, hashOf } from '../../../model/search/packed-counts.ts'
import { laterBelow, rowId } from '../../../model/search/row-numbers.ts'
import type { Clue, Exclusion } from '../../../model/search/search-query.ts'
import { MOST_EXCLUSION_ROWS } from '../../../model/search/tuning.ts'
import { loadRowSpans } from '../records-of-rows.ts'
import { type IndexedRow, recordPlace } from '../search-rows.ts'
import type { SearchScope } from '../search-scope.ts'
import { countInTexts, loadTexts } from './clue-counts.ts'
import { expressionsOf } from './clue-expressions.ts'
import type { Candidate } from './finder.ts'

/** If fewer later rows contain the words of an exclusion, only their records are looked up one by one. */
const MOST_LATER_LOOKED_UP = 1_000

/** Drops the candidates whose records contain something excluded in a visible field, in any of their rows. */
export async function withoutExcluded(
  scope: SearchScope,
  candidates: readonly Candidate[],
  excluded: readonly Exclusion[],
): Promise<Candidate[]> {
  if (excluded.length === 0) return [...candidates]
  let left: Candidate[] = []
  await scope.attempt(0.5, async () => {
    const spans = await loadRowSpans(
      scope.database,
      scope.owner_id,
      candidates.map(({ row }) => row),
    )
    let kept = [...candidates]
    for (const exclusion of excluded) {
      const out = await placesThatHold(scope, kept, exclusion, spans)
      kept = kept.filter(({ row }) => !out.has(recordPlace(row)))
    }
    // Candidates that were not completely checked are not shown.
    left = kept
  })
  return left
}

type Spans = ReadonlyMap<string, { first_row: number; row_count: number }>

async function placesThatHold(
  scope: SearchScope,
  candidates: readonly Candidate[],
  exclusion: Exclusion,
  spans: Spans,
): Promise<Set<string>> {
  const rows = candidates.map(({ row }) => row)
  const hashes = exclusion.keys.map(hashOf)
  const holding: IndexedRow[] = []
  for (const row of rows) {
    if (scope.budget.isDue) await scope.budget.pause()
    if (rowHolds(scope, row, hashes)) holding.push(row)
  }
  const out = new Set(
    (exclusion.phrase ? await withPhrase(scope, holding, exclusion) : holding).map(recordPlace),
  )
  const left = new Map(rows.filter(row => !out.has(recordPlace(row))).map(row => [recordPlace(row), row]))
  const long = [...left].filter(([place]) => (spans.get(place)?.row_count ?? 1) > 1)
  const mayHold = long.length === 0 ? () => false : await laterRowsMayHold(scope, exclusion)
  for (const [place, row] of long) {
    const span = spans.get(place)
    if (span && (await anyRowHolds(scope, row, span, exclusion, mayHold(span)))) out.add(place)
  }
  return out
}

/** Tells which long records may contain all of the words in one of their later rows, by one lookup for all of them. */
async function laterRowsMayHold(
  scope: SearchScope,
  { keys }: Exclusion,
): Promise<(span: { first_row: number; row_count: number }) => boolean> {
  const codes = [...new Set(scope.groups.flatMap(group => group.codes))]
  const all = keys.flatMap(key => expressionsOf(wordOf(key), codes))
  const below = laterBelow(scope.below)
  const ids = await scope.match({ all }, { below, later: true }, MOST_LATER_LOOKED_UP)
  if (ids.length === MOST_LATER_LOOKED_UP) return () => true
  return ({ first_row, row_count }) =>
    ids.some(id => id >= rowId(first_row, 1) && id < rowId(first_row, row_count))
}

function wordOf(key: string): Clue {
  return { kind: 'word', key, weight: 1, stop: false }
}

/** Whether open fields of the row contain all of the words; a hidden row is treated as containing them. */
function rowHolds(scope: SearchScope, row: IndexedRow, hashes: readonly number[]): boolean {
  const open = scope.open(row)
  if (!open) return true
  const counts = hashes.map(() => 0)
  countPacked(row.sections, hashes, open.weights, counts)
  return counts.every(count => count > 0)
}

/** The rows whose text contains the words one after the other. */
async function withPhrase(
  scope: SearchScope,
  rows: readonly { row_id: number }[],
  { keys }: Exclusion,
): Promise<IndexedRow[]> {
  const phrase: Clue = { kind: 'phrase', keys, weight: 1, stop: false }
  const ids = rows.map(row => row.row_id)
  const read = await Array.fromAsync(countInTexts(scope, await loadTexts(scope, ids), [phrase], [[phrase]]))
  return read.map(({ row }) => row)
}

/** Looks up the rows of a long record in the index, because there may be thousands. */
async function anyRowHolds(
  scope: SearchScope,
  row: IndexedRow,
  { first_row, row_count }: { first_row: number; row_count: number },
  exclusion: Exclusion,
  laterMayHold: boolean,
): Promise<boolean> {
  const codes = scope.open(row)?.codes ?? []
  const all = exclusion.keys.flatMap(key => expressionsOf(wordOf(key), codes))
  // The row itself was checked.
  const asked = [...(row.row_no === 0 ? [] : [false]), ...(laterMayHold ? [true] : [])]
  for (const later of asked) {
    const range = later
      ? { from: rowId(first_row, 1), below: rowId(first_row, row_count), later }
      : { from: first_row, below: first_row + 1, later }
    const ids = await scope.database.words.match(
      scope.owner_id,
      { all },
      range,
      exclusion.phrase ? MOST_EXCLUSION_ROWS : 1,
    )
    const rows = ids.map(row_id => ({ row_id }))
    if ((exclusion.phrase ? await withPhrase(scope, rows, exclusion) : rows).length > 0) return true
  }
  return false
}
