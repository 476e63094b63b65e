import { keyOf } from '../text/word-keys.ts'
import type { AskedTime } from './query-dates.ts'
import { isFurther, type SearchQuery } from './search-query.ts'

/** Words that only ask in questions about a time. */
const ASKING = new Set(['happened', 'happening', 'occurred', 'going'].map(keyOf))

/** Words that mean the time before or after the one that is named. */
const BESIDE = new Set(['before', 'after', 'since', 'until', 'till', 'by', 'around', 'between'].map(keyOf))

/**
 * The time that a question such as "What happened on 9 June 2015?" asks for, if it asks for nothing else: hardly any record
 * of that day contains its words. A date by itself is searched for as it is written.
 */
export function timeAlone(query: SearchQuery, times: readonly AskedTime[]): AskedTime | null {
  const [time, ...others] = times
  if (!time || others.length > 0 || query.excluded.length > 0) return null
  const isOfTime = (key: string) => time.words.includes(key)
  const own = query.clues.filter(clue => !isFurther(clue))
  const asksOnly = own.every(
    clue => clue.kind === 'word' && (clue.stop || isOfTime(clue.key) || ASKING.has(clue.key)),
  )
  const beside = query.words.filter(key => !isOfTime(key))
  if (beside.length === 0 || beside.some(key => BESIDE.has(key))) return null
  return asksOnly ? time : null
}

/** The query with the words of times counted as known words, although hardly any record contains them. */
export function withKnownTimes(query: SearchQuery, times: readonly AskedTime[]): SearchQuery {
  const known = new Set(times.flatMap(({ words }) => words))
  return { ...query, spelled: query.spelled.filter(({ key }) => !known.has(key)) }
}
