import type { ClueCounts } from '../../../model/search/bm25.ts'
import type { SearchQuery } from '../../../model/search/search-query.ts'
import type { IndexedRow, RowPlace } from '../search-rows.ts'
import type { SearchScope } from '../search-scope.ts'

/** A row that may be a hit, and how often it contains each clue. */
export interface Candidate extends ClueCounts {
  row: IndexedRow
}

export interface Found {
  /** Rows that contain at least one clue that is not a stop word. */
  candidates: Candidate[]
  /** The number of visible records that contain each clue; null if not all of them were counted. */
  records: (number | null)[]
  /**
   * The number of visible records that contain all required words, if finding saw all of them or more than are counted;
   * otherwise null.
   */
  matching: number | null
  /** The first rows of records that contain all required words, if all of them are candidates; otherwise null. */
  holding: readonly RowPlace[] | null
  /** All rows that contain some required word, the rarest whose rows are all known; null if there is none. */
  rarest: readonly number[] | null
  /**
   * The share of the visible records that contain each clue, if it was estimated from how far its newest records reach
   * back.
   */
  shares: (number | null)[]
  /** Rows that were found only as the newest of one common word, with the index of that clue. */
  newestOf: ReadonlyMap<number, number>
  /** A word that more visible records contain was not counted. */
  most: number
}

export interface Asked extends SearchQuery {
  /** Whether records with all words come before any other, so that others need not be found if these are many. */
  areAllMeant: boolean
}

/** Finds the rows of a scope that can be the best for the clues. It decides what is found, not in which order. */
export type Finder = (scope: SearchScope, asked: Asked) => Promise<Found>
