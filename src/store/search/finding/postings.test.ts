import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MOST_FILTERED_ROWS } from '../../../model/search/tuning.ts'
import type { RowRange } from '../../engine/word-index.ts'
import type { ClauseGroup } from '../clause-groups.ts'
import type { RowPlace } from '../search-rows.ts'
import type { SearchScope } from '../search-scope.ts'
import { newestOfGroup } from './postings.ts'

const GROUP: ClauseGroup = {
  ...{ codes: [1], titleCodes: [], scopeWords: ['s'], clauses: new Map(), times: null, mustCheckRows: true },
}

/** How many visible rows are examined under a filter that no record passes. */
async function rowsExamined(isHidden: (row_id: number) => boolean, most: number): Promise<number> {
  const visible = 2 * MOST_FILTERED_ROWS
  const ids: number[] = []
  for (let shown = 0, row_id = 1_000_000; shown < visible; row_id--) {
    ids.push(row_id)
    if (!isHidden(row_id)) shown++
  }
  let examined = 0
  const scope = {
    ...{ isFiltered: true, isTruncated: false, below: Number.POSITIVE_INFINITY },
    match: async (_: unknown, { below }: RowRange, limit: number) => {
      const start = below > 1_000_000 ? 0 : 1_000_001 - below
      return ids.slice(start, start + limit)
    },
    shownPlaces: async (_: ClauseGroup, ids: readonly number[]) =>
      ids.filter(row_id => !isHidden(row_id)).map(row_id => ({ row_id, row_no: 0 }) as RowPlace),
    passing: async (rows: readonly RowPlace[]) => {
      examined += rows.length
      return []
    },
  }
  assert.deepEqual(await newestOfGroup(scope as unknown as SearchScope, GROUP, () => [], most), [])
  assert.equal(scope.isTruncated, true)
  return examined
}

test('RS-5 how many visible rows a filter examines does not depend on hidden ones', async () => {
  for (const most of [33, 601, 5_000])
    for (const every of [2, 3, 7])
      assert.equal(await rowsExamined(row_id => row_id % every === 0, most), MOST_FILTERED_ROWS)
  assert.equal(await rowsExamined(() => false, 601), MOST_FILTERED_ROWS)
})
