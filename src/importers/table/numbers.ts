/** How a column writes its numbers. */
export type Notation = 'integer' | 'point' | 'comma'

const INTEGER = /^-?(?:0|[1-9]\d*)$/
/** 1234.5 and 1,234.5 */
const POINT = /^-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/
/** 1234,5 and 1.234,5 */
const COMMA = /^-?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/
const LEADING_ZERO = /^-?0\d+$/
const MOST_DIGITS = 15

/** The notation that all texts share; null when they are not all numbers. Numbers with leading zeros are codes. */
export function notationOf(texts: readonly string[]): Notation | null {
  if (texts.length === 0 || texts.some(text => LEADING_ZERO.test(text) || digits(text) > MOST_DIGITS))
    return null
  if (texts.every(text => INTEGER.test(text))) return 'integer'
  if (texts.every(text => POINT.test(text))) return 'point'
  return texts.every(text => COMMA.test(text)) ? 'comma' : null
}

export function numberOf(text: string, notation: Notation): number | null {
  if (LEADING_ZERO.test(text) || digits(text) > MOST_DIGITS) return null
  if (notation === 'integer') return INTEGER.test(text) ? Number(text) : null
  if (notation === 'point') return POINT.test(text) ? Number(text.replaceAll(',', '')) : null
  return COMMA.test(text) ? Number(text.replaceAll('.', '').replace(',', '.')) : null
}

export function isNumberLike(text: string): boolean {
  return POINT.test(text) || COMMA.test(text)
}

function digits(text: string): number {
  return text.replace(/\D/g, '').length
}
