/**
 * The names of the months: whole and shortened in English, German, Spanish, French, Italian, Dutch and Portuguese, and
 * in the forms that follow a day or a preposition in Russian, Ukrainian, Polish, Greek, Romanian, Turkish, Arabic and
 * Hindi.
 */
const NAMES = `
january february march april may june july august september october november december
jan feb mar apr may jun jul aug sep oct nov dec
januar februar märz april mai juni juli august september oktober november dezember
jan feb mär apr mai jun jul aug sep okt nov dez
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
ene feb mar abr may jun jul ago sept oct nov dic
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
janv févr mars avr mai juin juil août sept oct nov déc
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
gen feb mar apr mag giu lug ago set ott nov dic
januari februari maart april mei juni juli augustus september oktober november december
jan feb mrt apr mei jun jul aug sep okt nov dec
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
jan fev mar abr mai jun jul ago set out nov dez
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре
січень лютий березень квітень травень червень липень серпень вересень жовтень листопад грудень
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
січні лютому березні квітні травні червні липні серпні вересні жовтні листопаді грудні
styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
styczniu lutym marcu kwietniu maju czerwcu lipcu sierpniu wrześniu październiku listopadzie grudniu
ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου
ιανουάριο φεβρουάριο μάρτιο απρίλιο μάιο ιούνιο ιούλιο αύγουστο σεπτέμβριο οκτώβριο νοέμβριο δεκέμβριο
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर
`

/** The number of each month, by its names in lower case. */
export const MONTHS: ReadonlyMap<string, number> = new Map(
  NAMES.trim()
    .split('\n')
    .flatMap(line => line.split(' ').map((name, index): [string, number] => [name, index + 1])),
)
/** Patterns of the parts of a date, each with one group for each of its numbers and names. */
export const MONTH = `(${[...MONTHS.keys()].sort((a, b) => b.length - a.length).join('|')})\\.?`
export const YEAR = '((?:19|20)\\d\\d)'
export const DAY_THEN_MONTH = `(\\d{1,2})(?:st|nd|rd|th|\\.|º)?\\s+(?:of\\s+|de\\s+)?${MONTH}`
export const MONTH_THEN_DAY = `${MONTH}\\s+(\\d{1,2})(?:st|nd|rd|th)?`
export const MONTH_THEN_YEAR = `${MONTH},?\\s+(?:of\\s+|de\\s+)?${YEAR}`

export function monthOf(name = ''): number {
  return MONTHS.get(name.toLowerCase()) ?? 0
}

const whole = (text: string) => new RegExp(`^${text}$`, 'iu')
const YEAR_FIRST = /^(\d{4})\/(\d{1,2})(?:\/(\d{1,2}))?$/
const DAY_FIRST = whole(`${DAY_THEN_MONTH},?\\s+(?:of\\s+|de\\s+)?${YEAR}`)
const MONTH_FIRST = whole(`${MONTH_THEN_DAY},?\\s+${YEAR}`)
const MONTH_ONLY = whole(MONTH_THEN_YEAR)

/**
 * A date with a year that is written with the name of its month, or with slashes and the year first, as `2015-08-02` or
 * `2015-08`; null for anything else, such as 08/02/2015, which is one of two days.
 */
export function writtenDate(text: string): string | null {
  const dated = (...parts: unknown[]) => parts.map(part => String(part).padStart(2, '0')).join('-')
  const slashes = YEAR_FIRST.exec(text)
  if (slashes) return dated(...slashes.slice(1).filter(part => part !== undefined))
  const [, month, year] = MONTH_ONLY.exec(text) ?? []
  if (year !== undefined) return dated(year, monthOf(month))
  const dayFirst = DAY_FIRST.exec(text)
  if (dayFirst) return dated(dayFirst[3], monthOf(dayFirst[2]), dayFirst[1])
  const monthFirst = MONTH_FIRST.exec(text)
  return monthFirst ? dated(monthFirst[3], monthOf(monthFirst[1]), monthFirst[2]) : null
}

/** Two dates, such as `2026-01-31`: the first day in the span, and the first day after it. */
export interface Days {
  first: string
  after: string
}

const DAY_MS = 24 * 60 * 60_000
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
/** The first month of each season, as north of the equator. Winter is in two years, so it is not understood. */
const SEASONS: Record<string, number> = { spring: 3, summer: 6, autumn: 9, fall: 9 }

/** Patterns of spans that a question may name too. */
export const SEASON = `(${Object.keys(SEASONS).join('|')})`
export const WEEK_OF_MONTH = `(first|last)\\s+week\\s+(?:of|in)\\s+${MONTH},?\\s+(?:of\\s+)?${YEAR}`
export const SEASON_OF_YEAR = `${SEASON},?\\s+(?:of\\s+)?${YEAR}`
export const WEEKEND_OR_WEEKDAY = `(?:last|this|next) weekend|last (?:${WEEKDAYS.join('|')})`
export const LAST_OR_THIS_SEASON = `(?:last|this) ${SEASON.replace('(', '(?:')}`

const IN_MONTH = new RegExp(`^${WEEK_OF_MONTH}$`, 'iu')
const IN_YEAR = new RegExp(`^(?:the\\s+)?${SEASON_OF_YEAR}$`, 'iu')
const RELATIVE_SEASON = new RegExp(`^(last|this) ${SEASON}$`)
/** As buckets of a quarter are named, and as people write it. */
const QUARTER = /^(?:(?<year>\d{4})-?q(?<quarter>[1-4])|q(?<quarter>[1-4])(?: of)? (?<year>\d{4}))$/

/** The days that words such as `last week` or `summer 2015` name, in lower case; null for other words. */
export function namedDays(words: string, today: string): Days | null {
  const { year, quarter } = QUARTER.exec(words)?.groups ?? {}
  if (year !== undefined) return monthsFrom(monthOfYear(year, 3 * Number(quarter) - 2), 3)
  if (words === 'today') return { first: today, after: plusDays(today, 1) }
  if (words === 'yesterday') return { first: plusDays(today, -1), after: today }
  if (words === 'tomorrow') return { first: plusDays(today, 1), after: plusDays(today, 2) }
  const [, which, unit] = /^(last|this|next) (week|month|quarter|year|weekend)$/.exec(words) ?? []
  if (which !== undefined) return unitDays(unit as Unit, OFFSETS[which as keyof typeof OFFSETS], today)
  const weekday = WEEKDAYS.indexOf(words.replace(/^last /, ''))
  if (weekday >= 0 && words.startsWith('last ')) {
    const first = plusDays(today, -(((weekdayOf(today) - weekday + 6) % 7) + 1))
    return { first, after: plusDays(first, 1) }
  }
  const [, lastOrThis, named = ''] = RELATIVE_SEASON.exec(words) ?? []
  if (lastOrThis !== undefined) return seasonNear(today, SEASONS[named] ?? 1, lastOrThis === 'last')
  const [, season = '', ofYear] = IN_YEAR.exec(words) ?? []
  if (ofYear !== undefined) return monthsFrom(monthOfYear(ofYear, SEASONS[season.toLowerCase()] ?? 1), 3)
  const [, end, month, inYear] = IN_MONTH.exec(words) ?? []
  if (inYear === undefined) return null
  const { first, after } = monthsFrom(monthOfYear(inYear, monthOf(month)), 1)
  return end === 'first' ? { first, after: plusDays(first, 7) } : { first: plusDays(after, -7), after }
}

type Unit = 'week' | 'month' | 'quarter' | 'year' | 'weekend'
const OFFSETS = { last: -1, this: 0, next: 1 }
const MONTHS_OF = { month: 1, quarter: 3, year: 12 }

/**
 * The calendar week, weekend, month, quarter or year of a day, or one with the given offset. Weeks begin on Monday, and
 * a weekend is the end of its week.
 */
function unitDays(unit: Unit, offset: number, day: string): Days {
  if (unit === 'week' || unit === 'weekend') {
    const monday = plusDays(day, -weekdayOf(day) + 7 * offset)
    return { first: unit === 'week' ? monday : plusDays(monday, 5), after: plusDays(monday, 7) }
  }
  const months = MONTHS_OF[unit]
  const before = (Number(day.slice(5, 7)) - 1) % months
  return monthsFrom(plusMonths(`${day.slice(0, 7)}-01`, offset * months - before), months)
}

/** The season of this year; as the last one, the latest that has ended. */
function seasonNear(today: string, month: number, hasEnded: boolean): Days {
  const year = Number(today.slice(0, 4))
  const ofYear = monthsFrom(monthOfYear(String(year), month), 3)
  return hasEnded && ofYear.after > today ? monthsFrom(monthOfYear(String(year - 1), month), 3) : ofYear
}

/** 0 is Monday. */
function weekdayOf(day: string): number {
  return (new Date(day).getUTCDay() + 6) % 7
}

function monthOfYear(year: string, month: number): string {
  return `${year}-${String(month).padStart(2, '0')}-01`
}

export function monthsFrom(first: string, months: number): Days {
  return { first, after: plusMonths(first, months) }
}

export function plusDays(day: string, days: number): string {
  return dayOf(Date.parse(day) + days * DAY_MS)
}

/** The same day of another month, or that month's last day. */
export function plusMonths(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const last = new Date(utcDay(year, month + months, 0)).getUTCDate()
  return dayOf(utcDay(year, month - 1 + months, Math.min(date, last)))
}

/** `Date.UTC` takes the years 0 to 99 for those of the last century. */
function utcDay(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day)
}

/** The year may have more than four digits here, or a sign. */
function dayOf(ms: number): string {
  return new Date(ms).toISOString().replace(/T.*/, '')
}
