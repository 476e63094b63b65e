import type { ClueCounts } from '../../../model/search/bm25.ts'
import type { SearchQuery } from '../../../model/search/search-query.ts'
import type { IndexedRow, RowPlace } from '../search-rows.ts'
import type { SearchScope } from '../search-scope.ts'

/** A row that may be a hit, with how often it holds each clue. */
export interface Candidate extends ClueCounts {
  row: IndexedRow
}

export interface Found {
  /** Rows that hold at least one clue that is not a stop word. */
  candidates: Candidate[]
  /** Visible records that hold each clue; null where not all of them were counted. */
  records: (number | null)[]
  /** Visible records that hold all required words, where finding has met all of them or more than are counted; else null. */
  matching: number | null
  /** The first rows of records that hold all required words, where every one of them is a candidate; else null. */
  holding: readonly RowPlace[] | null
  /** The share of the visible records that hold each clue, where it was estimated by their reach. */
  shares: (number | null)[]
  /** Rows that were found only as the newest of one common word, with the index of that clue. */
  newestOf: ReadonlyMap<number, number>
}

/** Finds the rows of a scope that can be the best ones for the clues. It decides what is found, not in which order. */
export type Finder = (scope: SearchScope, query: SearchQuery) => Promise<Found>
