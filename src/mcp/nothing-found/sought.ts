import type { Condition } from '../../model/reading/filter.ts'
import type { TimeZone } from '../../model/time.ts'
import type { Narrowing } from '../reading/narrowing.ts'

/** A request that found nothing. */
export interface Sought {
  narrowing: Narrowing
  streams: readonly string[] | undefined
  where: readonly Condition[]
  /** Whether there were words to find, besides the narrowing. */
  words: boolean
  /** The parts of the query, if records must contain all of them. */
  together: readonly string[]
  /** Whether only records with a time could match. */
  byTime: boolean
  zone: TimeZone
  /** What matches without the time bounds, in words; null if that is unknown. */
  anyTime: () => Promise<string | null>
}
