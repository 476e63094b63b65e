import { readByTime } from '../records/by-time.ts'
import { readChanges } from '../records/changed-records.ts'
import { aggregateRecords, countRecords, lastUpdated, readPage } from '../records/scan.ts'
import { aggregateMatches } from '../search/aggregate-matches.ts'
import { matchesInRecord } from '../search/matches-in-record.ts'
import { searchRecords } from '../search/search.ts'

/** The reads that may take long. */
export const READS = {
  readPage,
  readByTime,
  readChanges,
  countRecords,
  aggregateRecords,
  aggregateMatches,
  lastUpdated,
  searchRecords,
  matchesInRecord,
} as const
