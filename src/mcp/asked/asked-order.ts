import { parseSearchQuery } from '../../model/search/search-query.ts'
import { type Calendar, isTime } from '../../model/time-bounds.ts'
import { timeAtEnd } from './asked-time.ts'

export type ByTime = 'newest' | 'oldest'

/** What a question for the newest or oldest, for the messages of someone or for attachments asks for, as arguments of a search. */
export interface AskedOrder {
  /** Null if it asks for no order. */
  sort: ByTime | null
  /** Operators and words; `*` if everything is meant. */
  query: string
  /** The word for what is asked for, which may name a kind of source, such as `mail`. */
  kind: string | null
  /** How many are asked for, if it says so. */
  limit?: number
  /** Of events, which are also in the future: those after now, those before it, or those of a time that the query names. */
  events?: 'after' | 'before' | 'at'
}

const OLDEST = /^(?:oldest|earliest|first)$/i
const ORDER = '(?:very\\s+)?(newest|latest|most\\s+recent|last|oldest|earliest|first)'
const THINGS =
  'e-?mails?|mails?|messages?|notes?|chats?|conversations?|letters?|documents?|files?|posts?|entry|entries|records?|photos?|events?|comments?|texts?|mentions?'
const EVENTS = 'meetings?|appointments?|events?'
const LEAD =
  "(?:(?:what|when|which|where)(?:\\s+(?:is|was|are|were)|[’']s)\\s+|(?:please\\s+)?(?:show|find|give|get|read|open|list)\\s+(?:me\\s+)?|(?:(?:do|did)\\s+(?:I|we)\\s+(?:have|get)|(?:are|were)\\s+there)\\s+)?(?:(?:all|any)\\s+)?(?:(?:the|my|our)\\s+)?"
const ABOUT = '(?:about|on|regarding|concerning|mentioning|(?:that\\s+)?(?:mentions?|contains?))'
/** A person or place of up to four words. */
const NAME = '((?:[^\\s":()]+\\s+){0,3}?[^\\s":()]+)'

const THING = new RegExp(
  `^${LEAD}${ORDER}\\s+(?:(?:few|(\\d{1,2}))\\s+)?(${THINGS})(?![\\p{L}\\p{N}])(.*)$`,
  'iu',
)
const EVENT = new RegExp(
  `^${LEAD}(next|upcoming|last|latest|most\\s+recent|previous)\\s+(?:${EVENTS})(?![\\p{L}\\p{N}])(.*)$`,
  'iu',
)
const EVENTS_OF = new RegExp(
  `^(?:(?:do|did|will)\\s+(?:I|we)\\s+have\\s+(?:any\\s+)?|(?:what|which)\\s+|${LEAD})(?:calendar\\s+)?(?:${EVENTS})(?:\\s+(?:do|did|will)\\s+(?:I|we)\\s+have)?\\s+(.+)$`,
  'iu',
)
const SOME = new RegExp(`^(?:(?:what|which)\\s+|${LEAD})(?<kind>${THINGS})\\s+(?<rest>.+)$`, 'iu')
const ATTACHED =
  /^(?:with|(?:that\s+)?(?:have|has|had|contain(?:s|ed)?))\s+(?:(?:an?|any|some)\s+)?(?:(?<type>\p{L}+)\s+)?attach(?:ed|ments?)(?:\s+(?<more>.+))?$/iu
/** As in `mails that Dirk sent me about the roof`. */
const THAT_SENT = new RegExp(
  `^(?:(?:that|which)\\s+)?${NAME}\\s+(?:wrote|sent|posted|said)(?:\\s+(?:to\\s+)?me)?(?:\\s+(.+))?$`,
  'iu',
)
const LED = new RegExp(`^${LEAD}`, 'iu')
const MET = /^when\s+(?:did|do|will)\s+(?:I|we)\s+(last|next)\s+(?:meet|see)(?:\s+with)?(\s.+)$/iu
/** With what else narrows it: `from Dirk to Ann about the roof`. */
const NAMED_FIRST = new RegExp(
  `^(from|by|of|to|with|in)\\s+${NAME}(?:\\s+((?:${ABOUT}|from|by|to|with)\\s+.+))?$`,
  'iu',
)
const NAMED_LAST = new RegExp(`^${ABOUT}\\s+(.+?)\\s+(from|by|to|with)\\s+${NAME}$`, 'iu')
const WORDS = new RegExp(`^(?:${ABOUT}\\s+)?(.*)$`, 'iu')
const ABOUT_FIRST = new RegExp(`^${ABOUT}\\s`, 'iu')
const OWNER = /^(?:me|myself|us|ourselves)$/i
const WROTE = new RegExp(
  `^when\\s+did\\s+${NAME}\\s+(last|first)\\s+(?:(?:write|e-?mail|mail|message|text|contact|reply|answer)(?:\\s+(?:to\\s+)?me)?(?:\\s+${ABOUT})?|mention|discuss|talk\\s+about)(?:\\s+(.+))?$`,
  'iu',
)
const SAID = new RegExp(
  `^(?:what\\s+)?(?:did|has|have)\\s+${NAME}\\s+(?:ever\\s+)?(?:say|said|tell|told|write|written|send|sent|post|posted|reply|replied|respond|responded|answer|answered)(?:\\s+(?:anything|something|back))?(?:\\s+(?:to\\s+)?me)?(?:\\s+(.+))?$`,
  'iu',
)
/** Whoever is meant by it, no record has it as a name. */
const PRONOUN = /^(?:he|she|it|they|you|everyone|everybody|anyone|anybody|someone|somebody|people|others)$/i
const TALKED =
  /^when\s+(?:did|have)\s+(?:I|we)\s+(last|first)\s+(?:talk|talked|speak|spoken|chat|chatted)\s+(?:to|with)\s+(.+)$/iu
const MENTIONED = /^when\s+was\s+(.+?)\s+(last|first)\s+(?:mentioned|discussed|talked\s+about)$/iu

/** The operators that the words before a name or a time mean. */
const OPERATORS: Readonly<Record<string, string>> = {
  ...{ from: 'from', by: 'from', of: 'from', to: 'to', with: 'with', in: 'in' },
}

/**
 * Null if a query asks for nothing by time, person or attachment. It may still mean something else: only hits tell whether it is so.
 * Where the order is given, its words need not ask for it.
 */
export function askedOrder(query: string, calendar: Calendar, given?: ByTime): AskedOrder | null {
  const asked = query.trim().replace(/\s*[?.!]+$/, '')
  const meant = eventsOf(asked, calendar) ?? askedIn(asked, calendar)
  if (given === undefined || meant?.sort === given) return meant
  if (meant?.sort) return null
  const ordered = meant ?? askedIn(`${given} ${asked.replace(LED, '')}`, calendar)
  return ordered && ordered.query !== EVERYTHING ? { ...ordered, sort: given } : null
}

const EVERYTHING = '*'

/** A time at the end narrows what the rest asks for. */
function askedIn(asked: string, calendar: Calendar): AskedOrder | null {
  const read = (text: string) => inOrder(text) ?? said(text) ?? someOf(text, calendar)
  const { rest, ...bounds } = timeAtEnd(asked, calendar)
  const timed = bounds.since === undefined ? null : read(rest)
  return timed ? { ...timed, query: within(timed.query, bounds) } : read(asked)
}

export function within(query: string, { since = '', until }: { since?: string; until?: string }): string {
  const time = `${until === undefined ? 'since' : 'on'}:${quotedName(since)}`
  return query === EVERYTHING ? time : `${query} ${time}`
}

function inOrder(asked: string): AskedOrder | null {
  const [, name, wrote, about = ''] = WROTE.exec(asked) ?? []
  if (name !== undefined && wrote !== undefined) {
    const words = NAMED_FIRST.test(about) ? wordsOf(about) : about
    return { sort: sortOf(wrote), query: `${operatorOf('from', meOr(name))} ${words}`.trim(), kind: null }
  }
  const [, talked, partner = ''] = TALKED.exec(asked) ?? []
  if (talked !== undefined) return { sort: sortOf(talked), query: wordsOf(`with ${partner}`), kind: null }
  const [, mentioned, when] = MENTIONED.exec(asked) ?? []
  if (mentioned !== undefined && when !== undefined)
    return { sort: sortOf(when), query: mentioned, kind: null }
  const [, met, whom = ''] = MET.exec(asked) ?? []
  if (met !== undefined) return askedEvents(met, ` with${whom}`)
  const [, which, subject = ''] = EVENT.exec(asked) ?? []
  if (which !== undefined) return askedEvents(which, subject)
  const [, order, limit, kind = '', rest = ''] = THING.exec(asked) ?? []
  if (order === undefined) return null
  const of = /^mentions?$/i.test(kind) ? rest.trim().replace(/^of\s+/i, 'about ') : rest.trim()
  const many = limit === undefined ? {} : { limit: Number(limit) }
  return { sort: sortOf(order), query: wordsOf(of), kind, ...many }
}

/** The events of a time: `meetings with Zoë last week`. */
function eventsOf(asked: string, calendar: Calendar): AskedOrder | null {
  const subject = EVENTS_OF.exec(asked)?.[1] ?? ''
  const { rest: about, ...bounds } = timeAtEnd(subject, calendar)
  const [year] = /^\d{4}/.exec(bounds.since ?? '') ?? []
  // A month without a year may be the next or the last one.
  if (bounds.since === undefined || (year !== undefined && !subject.includes(year))) return null
  if (about !== '' && !NAMED_FIRST.test(about) && !ABOUT_FIRST.test(about)) return null
  return { sort: null, query: within(wordsOf(about), bounds), kind: null, events: 'at' }
}

/** What someone said: all of it, newest first, or what they said about something. */
function said(asked: string): AskedOrder | null {
  const [, name = '', rest = ''] = SAID.exec(asked) ?? []
  if (name === '' || PRONOUN.test(name)) return null
  const about = rest === '' ? '' : countedRest(rest)
  if (about === null) return null
  const isAll = about === '' || parseSearchQuery(about).clues.length === 0
  return {
    sort: isAll ? 'newest' : null,
    query: `${operatorOf('from', meOr(name))} ${about}`.trim(),
    kind: null,
  }
}

/** The messages of someone, or with an attachment: `all mails from Dirk about the engine`, `mails with a PDF attached`. */
function someOf(asked: string, calendar: Calendar): AskedOrder | null {
  const { kind = '', rest = '' } = SOME.exec(asked)?.groups ?? {}
  const [, author, more = ''] = THAT_SENT.exec(rest) ?? []
  const about = more === '' ? '' : countedRest(more)
  if (author !== undefined && about !== null)
    return { sort: null, query: `${operatorOf('from', meOr(author))} ${about}`.trim(), kind }
  const [, first = '', named = ''] = NAMED_FIRST.exec(rest) ?? []
  const isOfPerson = /^(?:from|by|to|with)$/i.test(first) && !isTimed(named, calendar) && !OWNER.test(named)
  return isOfPerson || ATTACHED.test(rest) ? { sort: null, query: wordsOf(rest), kind } : null
}

function isTimed(text: string, calendar: Calendar): boolean {
  return isTime(text) || timeAtEnd(text, calendar).rest === ''
}

/** Operators and words of what narrows the records that are counted: `from Dirk`, `about the roof`; null for anything else. */
export function countedRest(rest: string): string | null {
  if (rest === '') return ''
  return [NAMED_FIRST, ABOUT_FIRST, ATTACHED].some(form => form.test(rest)) ? wordsOf(rest) : null
}

function askedEvents(which: string, rest: string): AskedOrder {
  const isNext = /^(?:next|upcoming)$/i.test(which)
  const sort = isNext ? 'oldest' : 'newest'
  return { sort, query: wordsOf(rest.trim()), kind: null, events: isNext ? 'after' : 'before' }
}

function sortOf(order: string): ByTime {
  return OLDEST.test(order) ? 'oldest' : 'newest'
}

/** Operators and words of what follows the thing that is asked for. */
function wordsOf(rest: string): string {
  const attached = ATTACHED.exec(rest)?.groups
  if (attached) {
    const { type, more } = attached
    const has = type === undefined ? 'has:attachment' : `type:${type.toLowerCase()}`
    return more === undefined ? has : `${has} ${wordsOf(more)}`
  }
  const [, first, name = '', about = ''] = NAMED_FIRST.exec(rest) ?? []
  if (first !== undefined) return `${operatorOf(first, name)} ${about && wordsOf(about)}`.trim()
  const [, words = '', last, named = ''] = NAMED_LAST.exec(rest) ?? []
  if (last !== undefined) return `${operatorOf(last, named)} ${words}`
  return WORDS.exec(rest)?.[1] || EVERYTHING
}

/** An operator with its value; a time is a value of `on`. */
export function operatorOf(word: string, named: string): string {
  const value = named.replace(/^(?:the|my|our)\s+/i, '')
  const operator = isTime(value) ? 'on' : OPERATORS[word.toLowerCase()]
  return `${operator}:${quotedName(value)}`
}

const quotedName = (value: string) => (/\s/.test(value) ? `"${value}"` : value)
const meOr = (name: string) => (/^(?:i|we)$/i.test(name) ? 'me' : name)
