/** The names of the months, whole and shortened, in English, German, Spanish, French, Italian, Dutch and Portuguese. */
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
