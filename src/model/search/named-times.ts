import type { QueryOperator } from '../reading/query-operators.ts'
import { keyOf } from '../text/words.ts'
import type { AskedTime } from './query-dates.ts'
import { isFurther, type SearchQuery } from './search-query.ts'

const keysIn = (words: string) => new Set(words.split(' ').map(keyOf))

/** Words that only ask, in questions about a time or about what is new. */
const ASKING = keysIn(
  'happened happening occurred going there talk talked discuss discussed said written people everyone anything everything messages',
)
/** Words that ask for the newest records. */
const NEWEST = keysIn('new newest latest recent recently')
/** Words that mean everything from the time that is named. */
const FROM = keysIn('since after')
/** Words that mean the time before the one that is named, or near it. */
const BESIDE = keysIn('before until till by around between')

/** What is listed in answer to a query that asks for no words. */
export interface AskedListing {
  /** The operators that it adds to those of the query; none for the newest records of any time. */
  operators: QueryOperator[]
  /** What is listed, as it continues "what is …". */
  told: string
}

/**
 * What a question such as "What happened on 9 June 2015?" or "What is new?" asks for, if it asks for nothing else: hardly any
 * record contains its words. A date by itself is searched for as it is written. `kinds` are words that name the sources
 * to list.
 */
export function askedListing(
  query: SearchQuery,
  times: readonly AskedTime[],
  kinds: ReadonlySet<string> = new Set(),
): AskedListing | null {
  const [time, ...others] = times
  if (others.length > 0 || query.excluded.length > 0) return null
  const isOfTime = (key: string) => time?.words.includes(key) === true
  const asksOnly = query.clues.every(
    clue =>
      isFurther(clue) ||
      (clue.kind === 'word' &&
        (clue.stop || [ASKING, NEWEST, FROM, kinds].some(keys => keys.has(clue.key)) || isOfTime(clue.key))),
  )
  if (!asksOnly) return null
  const beside = query.words.filter(key => !isOfTime(key))
  if (beside.some(key => BESIDE.has(key))) return null
  if (!time) {
    const isAsked = query.words.length > 1 && query.words.some(key => NEWEST.has(key))
    return isAsked ? { operators: [], told: 'newest' } : null
  }
  if (beside.length === 0) return null
  const isFrom = beside.some(key => FROM.has(key))
  const operators: QueryOperator[] = [{ name: isFrom ? 'since' : 'on', value: time.name }]
  return { operators, told: `from ${time.name}${isFrom ? ' on' : ''}` }
}

/** The query with the words of times counted as known words, although hardly any record contains them. */
export function withKnownTimes(query: SearchQuery, times: readonly AskedTime[]): SearchQuery {
  const known = new Set(times.flatMap(({ words }) => words))
  return { ...query, spelled: query.spelled.filter(({ key }) => !known.has(key)) }
}
