import { isTime } from '../time-bounds.ts'

/** What a question for the newest or oldest of something asks for, as arguments of a search. */
export interface AskedOrder {
  sort: 'newest' | 'oldest'
  /** Operators and words; `*` if everything is meant. */
  query: string
  /** The word for what is asked for, which may name a kind of source, such as `mail`. */
  kind: string | null
  /** Of events, which are also in the future: whether those after now are asked for, or those before it. */
  events?: 'after' | 'before'
}

const OLDEST = /^(?:oldest|earliest|first)$/i
const ORDER = '(?:very\\s+)?(newest|latest|most\\s+recent|last|oldest|earliest|first)'
const THINGS =
  'e-?mails?|mails?|messages?|notes?|chats?|conversations?|letters?|documents?|files?|posts?|entry|entries|records?|photos?|events?|comments?|texts?|mentions?'
const EVENTS = 'meetings?|appointments?|events?'
const LEAD =
  "(?:(?:what|when|which|where)(?:\\s+(?:is|was|are|were)|[’']s)\\s+|(?:please\\s+)?(?:show|find|give|get|read|open|list)\\s+(?:me\\s+)?)?(?:(?:the|my|our)\\s+)?"
const ABOUT = '(?:about|on|regarding|concerning|mentioning|that\\s+mentions?)'
/** A person or place of up to four words. */
const NAME = '((?:[^\\s":()]+\\s+){0,3}?[^\\s":()]+)'

const THING = new RegExp(`^${LEAD}${ORDER}\\s+(?:few\\s+)?(${THINGS})(?![\\p{L}\\p{N}])(.*)$`, 'iu')
const EVENT = new RegExp(
  `^${LEAD}(next|upcoming|last|latest|most\\s+recent|previous)\\s+(?:${EVENTS})(?![\\p{L}\\p{N}])(.*)$`,
  'iu',
)
const MET = /^when\s+(?:did|do|will)\s+(?:I|we)\s+(last|next)\s+(?:meet|see)(?:\s+with)?(\s.+)$/iu
const NAMED_FIRST = new RegExp(`^(from|by|of|to|with|in)\\s+${NAME}(?:\\s+${ABOUT}\\s+(.+))?$`, 'iu')
const NAMED_LAST = new RegExp(`^${ABOUT}\\s+(.+?)\\s+(from|by|to|with)\\s+${NAME}$`, 'iu')
const WORDS = new RegExp(`^(?:${ABOUT}\\s+)?(.*)$`, 'iu')
const WROTE = new RegExp(
  `^when\\s+did\\s+${NAME}\\s+(last|first)\\s+(?:(?:write|e-?mail|mail|message|text|contact|reply|answer)(?:\\s+(?:to\\s+)?me)?(?:\\s+${ABOUT})?|mention|discuss|talk\\s+about)(?:\\s+(.+))?$`,
  'iu',
)
const MENTIONED = /^when\s+was\s+(.+?)\s+(last|first)\s+(?:mentioned|discussed|talked\s+about)$/iu

/** The operators that the words before a name or a time mean. */
const OPERATORS: Readonly<Record<string, string>> = {
  ...{ from: 'from', by: 'from', of: 'from', to: 'to', with: 'with', in: 'in' },
}

/** Null if a query asks for nothing by time. It may still mean something else: only hits tell whether it is so. */
export function askedOrder(query: string): AskedOrder | null {
  const asked = query.trim().replace(/\s*[?.!]+$/, '')
  const [, name, wrote, about = ''] = WROTE.exec(asked) ?? []
  if (name !== undefined && wrote !== undefined)
    return { sort: sortOf(wrote), query: `${operatorOf('from', meOr(name))} ${about}`.trim(), kind: null }
  const [, mentioned, when] = MENTIONED.exec(asked) ?? []
  if (mentioned !== undefined && when !== undefined)
    return { sort: sortOf(when), query: mentioned, kind: null }
  const [, met, whom = ''] = MET.exec(asked) ?? []
  if (met !== undefined) return askedEvents(met, ` with${whom}`)
  const [, which, subject = ''] = EVENT.exec(asked) ?? []
  if (which !== undefined) return askedEvents(which, subject)
  const [, order, kind = '', rest = ''] = THING.exec(asked) ?? []
  return order === undefined ? null : { sort: sortOf(order), query: wordsOf(rest.trim()), kind }
}

function askedEvents(which: string, rest: string): AskedOrder {
  const isNext = /^(?:next|upcoming)$/i.test(which)
  const sort = isNext ? 'oldest' : 'newest'
  return { sort, query: wordsOf(rest.trim()), kind: null, events: isNext ? 'after' : 'before' }
}

function sortOf(order: string): AskedOrder['sort'] {
  return OLDEST.test(order) ? 'oldest' : 'newest'
}

/** Operators and words of what follows the thing that is asked for. */
function wordsOf(rest: string): string {
  const [, first, name = '', about = ''] = NAMED_FIRST.exec(rest) ?? []
  if (first !== undefined) return `${operatorOf(first, name)} ${about}`.trim()
  const [, words = '', last, named = ''] = NAMED_LAST.exec(rest) ?? []
  if (last !== undefined) return `${operatorOf(last, named)} ${words}`
  return WORDS.exec(rest)?.[1] || '*'
}

function operatorOf(word: string, named: string): string {
  const value = named.replace(/^(?:the|my|our)\s+/i, '')
  const operator = isTime(value) ? 'on' : OPERATORS[word.toLowerCase()]
  return `${operator}:${/\s/.test(value) ? `"${value}"` : value}`
}

const meOr = (name: string) => (/^i$/i.test(name) ? 'me' : name)
