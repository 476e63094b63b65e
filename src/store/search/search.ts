import type { SelectedSource } from '../../model/reading/filter.ts'
import type { SearchQuery } from '../../model/search/search-query.ts'
import type { MatchCount } from '../../model/search/search-totals.ts'
import type { Budget } from '../budget/budget.ts'
import type { Database } from '../engine/database.ts'
import { withoutExcluded } from './finding/exclusion.ts'
import { findByTexts } from './finding/text-finder.ts'
import { findByWords } from './finding/word-finder.ts'
import { type FoundHit, proveHits } from './hits.ts'
import type { ProofOptions } from './proof.ts'
import { bm25Ranker } from './ranking/bm25-ranker.ts'
import { rankBy } from './ranking/ranker.ts'
import { SearchScope } from './search-scope.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'
import { countMatching } from './totals.ts'

export interface SearchArgs extends ProofOptions {
  owner_id: string
  selected: readonly SelectedSource[]
  query: SearchQuery
  since: string | null
  until: string | null
  /** What the first page saw, so that later pages rank the same records in the same way. */
  snapshot: Snapshot | null
  skip: number
  limit: number
}

export interface SearchPage {
  hits: FoundHit[]
  more: boolean
  snapshot: Snapshot
  /** Whether matching records may have been left out. */
  truncated: boolean
  counted: MatchCount
}

/** Each ranker re-ranks the best of what the one before it ordered. */
const RANKERS = [bm25Ranker]

/** One page of hits: what may be searched, what matches, in which order, and the proof of it. */
export async function searchRecords(
  database: Database,
  args: SearchArgs,
  budget: Budget,
): Promise<SearchPage> {
  const { owner_id, selected, since, until, skip, limit } = args
  const { clues, excluded } = args.query
  const snapshot = args.snapshot ?? (await takeSnapshot(database, owner_id, selected, clues))
  const { below, population } = snapshot
  const scope = await SearchScope.open({ database, budget, owner_id, selected, since, until, below })
  if (scope.groups.length === 0 || clues.length === 0) {
    return {
      hits: [],
      more: false,
      snapshot,
      truncated: false,
      counted: await countMatching(scope, args.query),
    }
  }

  const find = clues.some(clue => clue.kind !== 'word') ? findByTexts : findByWords
  let hits: FoundHit[] = []
  let more = false
  await scope.attempt(1, async () => {
    const found = await find(scope, clues)
    const candidates = await withoutExcluded(scope, found.candidates, excluded)
    const ranked = await rankBy(RANKERS, candidates, { scope, clues, found, population })
    const page = ranked.slice(skip, skip + limit).map(({ row }) => row)
    hits = await proveHits(scope, page, args)
    more = ranked.length > skip + limit
  })
  const counted = await countMatching(scope, args.query)
  return { hits, more, snapshot, truncated: scope.isTruncated, counted }
}
