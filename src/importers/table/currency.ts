/** An amount of money as people write it. */
export interface Amount {
  /** The number in the notation of its column, with `-` in front if it is negative. */
  number: string
  /** The sign or code, as written; null if there is none. */
  currency: string | null
}

const SIGN = String.raw`[A-Z]{0,3}\p{Sc}|[A-Z]{3}|[Kk]r\.?|zł|Kč|Fr\.|Rs\.?|руб\.?|円|元`
/** `€ 12,50`, `$1,234.00 USD`, `-12.50 CHF`, `£-3`, `(5.00 €)`, `5,00- kr` */
const AMOUNT = new RegExp(
  `^(?<open>[-+\u2212(]?)\\s*(?<before>${SIGN})?\\s*(?<sign>[-+\u2212]?)\\s*(?<digits>\\d[\\d\\s'’.,]*?)(?<last>-?)\\s*(?<after>${SIGN})?(?<close>\\)?)$`,
  'u',
)
const LONGEST = 64
const CODES = new Set(Intl.supportedValuesOf('currency'))

export function amountOf(written: string): Amount | null {
  const text = written.trim()
  const found = text.length > LONGEST ? undefined : AMOUNT.exec(text)?.groups
  if (!found) return null
  const { open = '', before, sign = '', digits = '', last, after, close } = found
  if ((open === '(') !== (close === ')')) return null
  const currencies = [before, after].filter(each => each !== undefined)
  if (currencies.some(each => isCode(each) && !CODES.has(each))) return null
  const isNegative = open === '(' || last === '-' || /[-\u2212]/.test(open + sign)
  return {
    number: `${isNegative ? '-' : ''}${digits.replace(/[\s'’]/g, '')}`,
    currency: currencies.find(isCode) ?? currencies[0] ?? null,
  }
}

function isCode(currency: string): boolean {
  return /^[A-Z]{3}$/.test(currency)
}
