import { REACH_ROWS } from '../../../model/search/tuning.ts'
import type { SearchScope } from '../search-scope.ts'
import { countBetween } from '../shown-rows.ts'
import { newestRows } from './postings.ts'

/**
 * The share of the visible records that contain a common word, estimated from how far its newest records reach back
 * among all visible ones. The newer half of them is ignored, because the newest records of a store often come from one
 * source that says little about the others. Null under a filter, where each record in between would have to be read.
 */
export async function shareByReach(
  scope: SearchScope,
  newest: readonly number[],
  most: number,
): Promise<number | null> {
  const positions = newest.slice(0, most).map(row_id => scope.order.positionOf(row_id))
  const older = positions.slice(most / 2)
  const [below, from] = [positions[most / 2 - 1], older.at(-1)]
  if (scope.isFiltered || below === undefined || from === undefined) return null
  const { rows, oldest } = await between(scope, below, from)
  return oldest === null ? null : older.filter(position => position >= oldest).length / rows
}

async function between(scope: SearchScope, below: number, from: number) {
  const counted = await countBetween(scope, below, from, REACH_ROWS)
  if (counted) return counted
  const rows = await newestRows(scope, REACH_ROWS, { below, from })
  const oldest = rows.at(-1)
  return { rows: rows.length, oldest: oldest === undefined ? null : scope.order.positionOf(oldest) }
}
