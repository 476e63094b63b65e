import type { Clue } from '../model/search-query.ts'
import { countPacked, hashOf } from '../model/search-rows.ts'
import { demands } from './search-demands.ts'
import type { Candidate } from './search-evidence.ts'
import { loadRowSpans, recordPlace } from './search-records.ts'
import type { IndexedRow, SearchScope } from './search-scope.ts'

/** Leaves out records that hold excluded words in a field that may be seen, in any of their rows. */
export async function withoutExcluded(
  scope: SearchScope,
  candidates: Candidate[],
  excluded: readonly string[][],
): Promise<Candidate[]> {
  if (excluded.length === 0) return candidates
  const rows = candidates.map(({ row }) => row)
  const out = new Set(rows.filter(row => rowHolds(scope, row, excluded)).map(recordPlace))
  const left = Map.groupBy(
    rows.filter(row => !out.has(recordPlace(row))),
    recordPlace,
  )
  const spans = await loadRowSpans(
    scope.database,
    scope.owner_id,
    [...left.values()].flatMap(group => group[0] ?? []),
  )
  for (const [place, [row]] of left) {
    const span = spans.get(place)
    if (row && span && span.row_count > 1 && (await otherRowHolds(scope, row, span, excluded))) out.add(place)
  }
  return candidates.filter(({ row }) => !out.has(recordPlace(row)))
}

function rowHolds(scope: SearchScope, row: IndexedRow, excluded: readonly string[][]): boolean {
  const open = scope.open(row)
  if (!open) return true
  return excluded.some(keys => {
    const counts = keys.map(() => 0)
    countPacked(row.sections, keys.map(hashOf), open.weights, counts)
    return counts.every(count => count > 0)
  })
}

/** The rows of a long record are asked for by the index: they may be thousands. */
async function otherRowHolds(
  scope: SearchScope,
  row: IndexedRow,
  { first_row, row_count }: { first_row: number; row_count: number },
  excluded: readonly string[][],
): Promise<boolean> {
  const codes = scope.open(row)?.codes ?? []
  for (const keys of excluded) {
    const clues = keys.map((key): Clue => ({ kind: 'word', key, weight: 1, stop: false }))
    const all = clues.flatMap(clue => demands(clue, codes))
    for (const later of [false, true]) {
      const range = { below: first_row + row_count, from: first_row, later }
      const [found] = await scope.database.tokens.match({ all }, range, 1)
      if (found !== undefined) return true
    }
  }
  return false
}
