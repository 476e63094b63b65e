import { requiredClues, type SearchQuery } from '../../model/search/search-query.ts'
import { exactly, type MatchCount, NOT_COUNTED } from '../../model/search/search-totals.ts'
import { MOST_COUNTED } from '../../model/search/tuning.ts'
import type { Found } from './finding/finder.ts'
import { holdersOf } from './finding/holders.ts'
import type { SearchScope } from './search-scope.ts'

const SHARE_OF_TIME = 0.5

/**
 * How many visible records contain all words of a query, if finding did not count them. Counting does not change what
 * was found.
 */
export async function countMatching(
  scope: SearchScope,
  { clues, excluded }: SearchQuery,
  { timedOnly, found }: { timedOnly: boolean; found: Pick<Found, 'matching' | 'holding'> | null },
): Promise<MatchCount> {
  const words = requiredClues(clues)
  // Phrases, prefixes and exclusions depend on the texts, and counting them would mean reading all of these.
  if (excluded.length > 0 || words.some(({ kind }) => kind !== 'word')) return NOT_COUNTED
  if (scope.groups.length === 0 || words.length === 0) return exactly(0)
  const { matching = null, holding: inFirst = null } = found ?? {}
  if (matching !== null) return atMostCounted(matching)
  const before = scope.isTruncated
  scope.isTruncated = false
  let count = 0
  await scope.attempt(SHARE_OF_TIME, async () => {
    for await (const rows of holdersOf(scope, words, { inFirst })) {
      count += (timedOnly ? rows.filter(({ time_key }) => time_key !== null) : rows).length
      if (count > MOST_COUNTED) break
    }
  })
  const partial = scope.isTruncated
  scope.isTruncated = before
  return partial && count <= MOST_COUNTED ? NOT_COUNTED : atMostCounted(count)
}

function atMostCounted(count: number): MatchCount {
  return count > MOST_COUNTED ? { count: MOST_COUNTED, count_accuracy: 'lower_bound' } : exactly(count)
}
