import { isStopKey, keyOf } from '../../model/text/words.ts'
import type { Calendar } from '../../model/time-bounds.ts'
import { countedRest } from './asked-order.ts'
import { askedPlace } from './asked-place.ts'
import { askedPeriod, LONGEST_QUESTION, timeAtEnd, withoutPeriod } from './asked-time.ts'
import { inEnglish } from './in-english.ts'

/** What a question for a number of records asks to be counted, as arguments of an aggregation. */
export interface AskedCount {
  /** The word for what is counted; null if records of every kind are. */
  noun: string | null
  /** Operators and words; empty if everything is counted. */
  query: string
  group_by?: 'from'
  since?: string
  until?: string
  granularity?: string
  /** Whether the query is the rest of the question, of which all words are counted. */
  isWords?: true
}

const SENT = 'wrote|write|writes|written|sent|send|sends|posted|post|posts'
const HOW_MANY =
  /^(?:how\s+many|(?:what\s+is\s+)?the\s+number\s+of|number\s+of|count\s+(?:of\s+)?(?:all\s+)?)\s+(?:(?:of\s+)?(?:the|my|our)\s+)?(.+)$/iu
const HAVE =
  /^(?:(?:do|did|have|had)\s+(?:I|we)(?:\s+(?:have|had|got|get|received?|saved?|exchanged?))?|(?:are|were|have\s+been)(?:\s+there)?(?:\s+(?:written|sent|posted|received))?)(?:\s+(.+))?$/iu
/** What is counted may only be named by where it is: `how many people are in my contacts`. */
const IN_OWN = /^(?:are|were)\s+(?:there\s+)?(?:in|on)\s+(?:the|my|our)\s+(\S+)$/iu
const HAVE_AT_END = /\s+(?:(?:do|did)\s+(?:I|we)\s+(?:have|get|receive)|are\s+there|exist)$/iu
const SENT_BY = new RegExp(
  `^(?:did|does|do|has|have|had)\\s+(\\S+(?:\\s+\\S+){0,3}?)\\s+(?:${SENT})(?:\\s+(?:to\\s+)?me)?(?:\\s+(.+))?$`,
  'iu',
)
const WHO_MOST = new RegExp(
  `^who\\s+(?:has\\s+)?(?:${SENT})\\s+(?:me\\s+)?(?:the\\s+)?most\\s+(?:of\\s+)?(?:(?:the|my|our)\\s+)?(\\S+)(?:\\s+(.+))?$`,
  'iu',
)
const OFTEN_WROTE = new RegExp(
  `^how\\s+(?:often|many\\s+times)\\s+(?:did|do|does|have|has)\\s+(\\S+(?:\\s+\\S+){0,3}?)\\s+(?:${SENT}|e-?mail|mail|text|message|reply|answer)(?:\\s+(?:to\\s+)?me)?(?:\\s+(.+))?$`,
  'iu',
)
const HOW_OFTEN =
  /^how\s+(?:often|many\s+times)\s+(?:(?:did|do|does|have|has)\s+(\S+(?:\s+\S+){0,3}?)\s+(?:mention|mentioned|discuss|discussed|(?:talk|talked|write|written|speak|spoken)\s+about)\s+(.+)|(?:was|were|is|are|has|have)\s+(.+?)\s+(?:been\s+)?(?:mentioned|discussed))$/iu

/** Null if a query asks for no number of records. The word for them may mean no kind of record. */
export function askedCount(query: string, calendar: Calendar): AskedCount | null {
  if (query.length > LONGEST_QUESTION) return null
  const asked = withoutPeriod(inEnglish(query))
    .replace(/[\s?.!]+$/, '')
    .replace(HAVE_AT_END, '')
  const { rest, since, until } = timeAtEnd(asked, calendar)
  const place = askedPlace(rest)
  const counted = countedIn(place?.rest ?? rest)
  if (!counted) return null
  const granularity = askedPeriod(query)
  const inPlace = place === null ? [] : [named('in', place.name)]
  return {
    ...counted,
    query: [...inPlace, counted.query].join(' ').trim(),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(granularity === undefined ? {} : { granularity }),
  }
}

function countedIn(asked: string): Pick<AskedCount, 'noun' | 'query' | 'group_by' | 'isWords'> | null {
  const [often, who, about, subject] = HOW_OFTEN.exec(asked) ?? []
  if (often !== undefined) {
    const by = who === undefined ? [] : [named('from', who)]
    return { noun: null, query: [...by, about ?? subject].join(' ') }
  }
  const [, writer, more = ''] = OFTEN_WROTE.exec(asked) ?? []
  const toWhom = writer === undefined ? null : countedRest(more)
  if (writer !== undefined && toWhom !== null)
    return { noun: 'messages', query: `${named('from', writer)} ${toWhom}`.trim() }
  const [most, sent = '', which = ''] = WHO_MOST.exec(asked) ?? []
  if (most !== undefined) {
    const query = countedRest(which)
    return query === null ? null : { noun: sent, query, group_by: 'from' }
  }
  const words = HOW_MANY.exec(asked)?.[1]?.split(/\s+/) ?? []
  // Such as `emails` and `Slack messages`.
  for (let length = 1; length <= Math.min(2, words.length); length++) {
    const noun = words.slice(0, length)
    const rest = words.slice(length).join(' ')
    const [, owned] = IN_OWN.exec(rest) ?? []
    if (owned !== undefined) return { noun: owned, query: '' }
    const query = countedQuery(rest)
    if (query !== null && !noun.some(word => isStopKey(keyOf(word)))) return { noun: noun.join(' '), query }
  }
  const [noun = '', ...others] = words
  return noun === '' || isStopKey(keyOf(noun)) ? null : { noun, query: others.join(' '), isWords: true }
}

/** The query of what follows the word for what is counted. */
function countedQuery(rest: string): string | null {
  const [, author, more = ''] = SENT_BY.exec(rest) ?? []
  const [, had = ''] = HAVE.exec(rest) ?? []
  const query = countedRest(author !== undefined ? more : HAVE.test(rest) ? had : rest)
  return author === undefined || query === null ? query : `${named('from', author)} ${query}`.trim()
}

function named(operator: 'from' | 'in', name: string): string {
  const value = /^(?:I|we)$/i.test(name) ? 'me' : name
  return `${operator}:${/\s/.test(value) ? `"${value}"` : value}`
}
