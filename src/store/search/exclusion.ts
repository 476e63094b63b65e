import { countPacked, hashOf } from '../../model/search/packed-counts.ts'
import type { Clue, Exclusion } from '../../model/search/search-query.ts'
import { demands } from './clue-words.ts'
import { type Candidate, countInTexts } from './evidence.ts'
import { loadRowSpans, recordPlace } from './load-records.ts'
import type { IndexedRow, SearchScope } from './scope.ts'

/** Rows of one long record that are read to find an excluded phrase. */
const MOST_ROWS_READ = 256

/** Leaves out records that hold what is excluded in a field that may be seen, in any of their rows. */
export async function withoutExcluded(
  scope: SearchScope,
  candidates: Candidate[],
  excluded: readonly Exclusion[],
): Promise<Candidate[]> {
  let left = candidates
  for (const exclusion of excluded) {
    const out = await placesThatHold(scope, left, exclusion)
    left = left.filter(({ row }) => !out.has(recordPlace(row)))
  }
  return left
}

async function placesThatHold(
  scope: SearchScope,
  candidates: readonly Candidate[],
  exclusion: Exclusion,
): Promise<Set<string>> {
  const rows = candidates.map(({ row }) => row)
  const holding = rows.filter(row => rowHolds(scope, row, exclusion))
  const out = new Set(
    (exclusion.phrase ? await withPhrase(scope, holding, exclusion) : holding).map(recordPlace),
  )
  const left = new Map(rows.filter(row => !out.has(recordPlace(row))).map(row => [recordPlace(row), row]))
  const spans = await loadRowSpans(scope.database, scope.owner_id, [...left.values()])
  for (const [place, row] of left) {
    const span = spans.get(place)
    if (span && span.row_count > 1 && (await anyRowHolds(scope, row, span, exclusion))) out.add(place)
  }
  return out
}

/** Whether all of the words stand in open fields of the row; a hidden row counts as holding them. */
function rowHolds(scope: SearchScope, row: IndexedRow, { keys }: Exclusion): boolean {
  const open = scope.open(row)
  if (!open) return true
  const counts = keys.map(() => 0)
  countPacked(row.sections, keys.map(hashOf), open.weights, counts)
  return counts.every(count => count > 0)
}

/** The rows where the words stand one after the other: the texts decide. */
async function withPhrase(
  scope: SearchScope,
  rows: readonly { row_id: number }[],
  { keys }: Exclusion,
): Promise<IndexedRow[]> {
  const phrase: Clue = { kind: 'phrase', keys, weight: 1, stop: false }
  const ids = rows.map(row => row.row_id)
  const read = await countInTexts(scope, ids, [phrase], [phrase])
  return read.map(({ row }) => row)
}

/** The rows of a long record are asked for by the index: they may be thousands. */
async function anyRowHolds(
  scope: SearchScope,
  row: IndexedRow,
  { first_row, row_count }: { first_row: number; row_count: number },
  exclusion: Exclusion,
): Promise<boolean> {
  const codes = scope.open(row)?.codes ?? []
  const clues = exclusion.keys.map((key): Clue => ({ kind: 'word', key, weight: 1, stop: false }))
  const all = clues.flatMap(clue => demands(clue, codes))
  for (const later of [false, true]) {
    const range = { below: first_row + row_count, from: first_row, later }
    const ids = await scope.database.words.match({ all }, range, exclusion.phrase ? MOST_ROWS_READ : 1)
    const rows = ids.map(row_id => ({ row_id }))
    if ((exclusion.phrase ? await withPhrase(scope, rows, exclusion) : rows).length > 0) return true
  }
  return false
}
