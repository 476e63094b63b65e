import type { QueryOperator } from '../reading/query-operators.ts'
import { analyze } from '../text/analyzer.ts'
import { keyOf } from '../text/words.ts'
import { instantKey } from '../time.ts'
import { type Calendar, sinceInstant, untilInstant } from '../time-bounds.ts'
import {
  DAY_THEN_MONTH,
  LAST_OR_THIS_SEASON,
  MONTH,
  MONTH_THEN_DAY,
  MONTH_THEN_YEAR,
  monthOf,
  SEASON,
  SEASON_OF_YEAR,
  WEEK_OF_MONTH,
  WEEKEND_OR_WEEKDAY,
  YEAR,
} from '../written-dates.ts'
import { isFurther, type SearchQuery } from './search-query.ts'

/** A time span that a query names, as time keys; `until` is excluded. */
export interface AskedTime {
  /** As `on:` accepts it: a year, month or day, or words such as `last week`. */
  name: string
  since: string
  until: string
  /** The keys of the words that name it. */
  words: readonly string[]
}

const WORD_START = '(?<![\\p{L}\\p{N}])'
const WORD_END = '(?![\\p{L}\\p{N}])'
const pattern = (text: string) => new RegExp(WORD_START + text + WORD_END, 'giu')

const SPANS = [pattern(WEEK_OF_MONTH), pattern(SEASON_OF_YEAR)]
const ISO = pattern('(\\d{4})-(\\d\\d)(?:-(\\d\\d))?')
const DOTTED = pattern(`(\\d{1,2})\\.\\s?(\\d{1,2})\\.\\s?${YEAR}`)
const YEAR_SLASHED = pattern(`${YEAR}/(\\d{1,2})/(\\d{1,2})`)
const SLASHED = pattern(`(\\d{1,2})/(\\d{1,2})/${YEAR}`)
const DAY_MONTH = pattern(`${DAY_THEN_MONTH}(?:,?\\s+(?:de\\s+)?${YEAR})?`)
const MONTH_DAY = pattern(`${MONTH_THEN_DAY}(?:,?\\s+${YEAR})?`)
const MONTH_YEAR = pattern(MONTH_THEN_YEAR)
/** Month names such as "may" and "march" are also ordinary words, so a month alone needs a word before it. */
const BEFORE =
  'in|im|en|em|year|jahr|año|année|during|since|of|early|late|seit|anfang|mitte|ende|desde|depuis|в|у|w|în|τον|το|في|spring|summer|autumn|fall|winter'
const MONTH_ALONE = pattern(`(?:(?:${BEFORE}|last|by|until)\\s+|mid[-\\s])${MONTH}`)
const MONTH_BEFORE = pattern(`${MONTH}\\s+(?:ay\\p{L}+|में)`)
/**
 * As in "the September meetup" and "Anna's October party", where the word before the month still counts as a word. After
 * it, May and March are months only with a capital letter. Not after "that", because April and June are also people.
 */
const MONTH_OF_SOMETHING = new RegExp(
  `(?<=${WORD_START}(?i:the|an?|this|next|our|my|your|his|her|their|\\p{L}+['’]s)\\s)` +
    `((?i:january|february|april|june|july|august|september|october|november|december)|March|May)${WORD_END}`,
  'gu',
)
/** Not "the fall of something", nor a name such as Spring. */
const SEASON_ALONE = new RegExp(
  `${WORD_START}(?i:in|during|over|since|early|late)\\s+(?:the\\s+)?${SEASON}${WORD_END}(?!\\s+of${WORD_END})`,
  'gu',
)
const YEAR_ALONE = pattern(`(?:${BEFORE})\\s+${YEAR}`)
const YEAR_BEFORE = pattern(`${YEAR}\\s+(?:yıl\\p{L}+|में)`)
/** In scripts that write no spaces, or no names of months. */
const YEAR_MONTH_DAY = /(?:((?:19|20)\d\d)[年년]\s?)?(?<!\d)(\d{1,2})[月월](?:\s?(\d{1,2})[日号號일])?/gu
const YEAR_SIGNED = /((?:19|20)\d\d)[年년]/gu
const VIETNAMESE = pattern(`(?:(\\d{1,2})\\s+)?tháng\\s+(\\d{1,2})(?:\\s+năm\\s+${YEAR})?`)
const YEAR_MONTH = pattern(`${YEAR}/(\\d{1,2})`)

/** How other languages say it. */
const RELATIVES: Record<string, string> = {
  today:
    "heute|hoy|aujourd[’']hui|oggi|vandaag|hoje|сегодня|сьогодні|dzisiaj|σήμερα|azi|bugün|اليوم|今日|今天|오늘",
  yesterday: 'gestern|ayer|ieri|gisteren|ontem|вчера|вчора|wczoraj|χθες|εχθές|dün|hôm qua|أمس|昨日|昨天|어제',
  'last week':
    '(?:letzte[nr]?|vergangene[nr]?|vorige[nr]?) woche|semana pasada|semaine dernière|settimana scorsa|vorige week|прошлой неделе|geçen hafta|tuần trước|先週|上周|上週|지난주',
  'last month':
    'letzten monats?|mes pasado|mois dernier|mese scorso|vorige maand|прошлом месяце|geçen ay|tháng trước|先月|上个月|上個月|지난달',
  'last year':
    'letzte[ns] jahr(?:es)?|año pasado|année dernière|anno scorso|vorig jaar|прошлом году|geçen yıl|năm ngoái|去年|작년|지난해',
  'this week': 'diese[rn]? woche|esta semana|cette semaine',
  'this month': 'diese[ns]? monats?|este mes|ce mois(?:-ci)?',
  'this year': 'dieses jahr|este año|cette année',
  'next week': 'nächste[rn]? woche|próxima semana|semaine prochaine',
  'next month': 'nächste[ns]? monats?|próximo mes|mois prochain',
}
const HAN_OR_HANGUL = /[\p{sc=Han}\p{sc=Hangul}]/u
/** Words of scripts without spaces may be inside of others, and Korean ones have particles after them. */
const RELATIVE = new RegExp(
  Object.entries(RELATIVES)
    .flatMap(([name, others]) => [name, ...others.split('|')])
    .concat(
      'tomorrow',
      WEEKEND_OR_WEEKDAY,
      LAST_OR_THIS_SEASON,
      '(?:last|this|next) (?:week|month|quarter|year)',
      '(?:last|past) \\d{1,3} (?:day|week|month|year)s?',
    )
    .map(each => (HAN_OR_HANGUL.test(each) ? each : WORD_START + each + WORD_END))
    .join('|'),
  'giu',
)

/** The name of a relative time, as `on:` accepts it. */
function relativeName(written: string): string {
  const known = Object.entries(RELATIVES).find(([, others]) =>
    new RegExp(`^(?:${others})$`, 'iu').test(written),
  )
  return (
    known?.[0] ??
    inOneLine(written)
      .toLowerCase()
      .replace(/^past /, 'last ')
  )
}

function inOneLine(written: string): string {
  return written.replace(/\s+/g, ' ')
}

const OLDEST_YEARS = 40
/** Further dates in a query are ignored, because every record would be compared with each of their years. */
const MOST_DATES = 8

/** The times that a query names, in the owner's calendar. A month or day without a year means that of every year. */
export function timesIn(text: string, calendar: Calendar): AskedTime[] {
  const named = new Map<string, readonly string[]>()
  let words: readonly string[] = []
  const thisYear = calendar.now.getUTCFullYear()
  const years = Array.from({ length: OLDEST_YEARS }, (_, i) => thisYear - i)
  const add = (year: string | undefined, month: number | string, day?: string) => {
    for (const each of year ? [Number(year)] : years)
      named.set(
        [each, month, ...(day ? [day] : [])].map(part => String(part).padStart(2, '0')).join('-'),
        words,
      )
  }
  // Each date found is removed from the text, so that its parts are not read as another date.
  let rest = text
  let taken = 0
  const take = (format: RegExp, use: (parts: (string | undefined)[], whole: string) => void) => {
    rest = rest.replace(format, (whole: string, ...parts: (string | undefined)[]) => {
      if (taken++ >= MOST_DATES) return ' '.repeat(whole.length)
      words = analyze(whole).map(({ key }) => key)
      use(parts, whole)
      return ' '.repeat(whole.length)
    })
  }
  for (const format of SPANS) take(format, (_, whole) => named.set(inOneLine(whole), words))
  take(ISO, ([year, month = '', day]) => add(year, month, day))
  take(DOTTED, ([day, month = '', year]) => add(year, Number(month), day))
  take(YEAR_SLASHED, ([year, month = '', day]) => add(year, Number(month), day))
  take(SLASHED, ([one = '', other = '', year]) => {
    // Some people write the day first, some the month. Days that do not exist are left out.
    add(year, Number(other), one)
    add(year, Number(one), other)
  })
  take(YEAR_MONTH, ([year, month = '']) => add(year, month))
  take(YEAR_MONTH_DAY, ([year, month = '', day]) => add(year, month, day))
  take(YEAR_SIGNED, ([year]) => named.set(year ?? '', words))
  take(VIETNAMESE, ([day, month = '', year]) => add(year, month, day))
  take(DAY_MONTH, ([day, month, year]) => add(year, monthOf(month), day))
  take(MONTH_YEAR, ([month, year]) => add(year, monthOf(month)))
  take(MONTH_DAY, ([month, day, year]) => add(year, monthOf(month), day))
  take(MONTH_ALONE, ([month]) => add(undefined, monthOf(month)))
  take(MONTH_BEFORE, ([month]) => add(undefined, monthOf(month)))
  take(MONTH_OF_SOMETHING, ([month]) => add(undefined, monthOf(month)))
  take(SEASON_ALONE, ([season]) => {
    for (const year of years) named.set(`${season} ${year}`, words)
  })
  for (const format of [YEAR_ALONE, YEAR_BEFORE]) take(format, ([year]) => named.set(year ?? '', words))
  take(RELATIVE, (_, whole) => named.set(relativeName(whole), words))
  return [...named].flatMap(([name, words]) => timeOf(name, words, calendar))
}

/** Days that do not exist, such as 31 February, are ignored. */
function timeOf(name: string, words: readonly string[], calendar: Calendar): AskedTime[] {
  try {
    const since = instantKey(sinceInstant(name, calendar))
    const until = instantKey(untilInstant(name, calendar))
    return since === null || until === null ? [] : [{ name, since: `t${since}`, until: `t${until}`, words }]
  } catch {
    return []
  }
}

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
