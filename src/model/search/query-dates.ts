import { analyze } from '../text/analyzer.ts'
import { instantKey } from '../time.ts'
import type { Calendar } from '../time-bounds.ts'
import { sinceInstant, untilInstant } from '../time-bounds.ts'
import { DAY_THEN_MONTH, MONTH, MONTH_THEN_DAY, MONTH_THEN_YEAR, monthOf, YEAR } from '../written-dates.ts'

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

const ISO = pattern('(\\d{4})-(\\d\\d)(?:-(\\d\\d))?')
const DOTTED = pattern(`(\\d{1,2})\\.\\s?(\\d{1,2})\\.\\s?${YEAR}`)
const YEAR_SLASHED = pattern(`${YEAR}/(\\d{1,2})/(\\d{1,2})`)
const SLASHED = pattern(`(\\d{1,2})/(\\d{1,2})/${YEAR}`)
const DAY_MONTH = pattern(`${DAY_THEN_MONTH}(?:,?\\s+(?:de\\s+)?${YEAR})?`)
const MONTH_DAY = pattern(`${MONTH_THEN_DAY}(?:,?\\s+${YEAR})?`)
const MONTH_YEAR = pattern(MONTH_THEN_YEAR)
/** Month names such as "may" and "march" are also ordinary words, so a month alone needs a word before it. */
const MONTH_ALONE = pattern(
  `(?:(?:in|im|en|em|during|since|last|of|by|until|early|late)\\s+|mid[-\\s])${MONTH}`,
)
const YEAR_ALONE = pattern(`(?:in|im|en|em|during|since|of)\\s+${YEAR}`)
const RELATIVE = pattern('(today|yesterday|tomorrow|(?:last|this|next) (?:week|month|year))')

const OLDEST_YEARS = 40
/** Further dates in a query are ignored, because every record would be compared with each of their years. */
const MOST_DATES = 8

/** The times that a query names, in the owner's calendar. A month or day without a year means that of every year. */
export function timesIn(text: string, calendar: Calendar): AskedTime[] {
  const named = new Map<string, readonly string[]>()
  let words: readonly string[] = []
  const thisYear = calendar.now.getUTCFullYear()
  const add = (year: string | undefined, month: number | string, day?: string) => {
    const years = year ? [Number(year)] : Array.from({ length: OLDEST_YEARS }, (_, i) => thisYear - i)
    for (const each of years)
      named.set(
        [each, month, ...(day ? [day] : [])].map(part => String(part).padStart(2, '0')).join('-'),
        words,
      )
  }
  // Each date found is removed from the text, so that its parts are not read as another date.
  let rest = text
  let taken = 0
  const take = (format: RegExp, use: (parts: (string | undefined)[]) => void) => {
    rest = rest.replace(format, (whole: string, ...parts: (string | undefined)[]) => {
      if (taken++ >= MOST_DATES) return ' '.repeat(whole.length)
      words = analyze(whole).map(({ key }) => key)
      use(parts)
      return ' '.repeat(whole.length)
    })
  }
  take(ISO, ([year, month = '', day]) => add(year, month, day))
  take(DOTTED, ([day, month = '', year]) => add(year, Number(month), day))
  take(YEAR_SLASHED, ([year, month = '', day]) => add(year, Number(month), day))
  take(SLASHED, ([one = '', other = '', year]) => {
    // Some people write the day first, some the month. Days that do not exist are left out.
    add(year, Number(other), one)
    add(year, Number(one), other)
  })
  take(DAY_MONTH, ([day, month, year]) => add(year, monthOf(month), day))
  take(MONTH_YEAR, ([month, year]) => add(year, monthOf(month)))
  take(MONTH_DAY, ([month, day, year]) => add(year, monthOf(month), day))
  take(MONTH_ALONE, ([month]) => add(undefined, monthOf(month)))
  take(YEAR_ALONE, ([year]) => named.set(year ?? '', words))
  take(RELATIVE, ([span]) => named.set((span ?? '').toLowerCase(), words))
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
