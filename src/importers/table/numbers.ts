import type { RawNumber } from '../../model/json.ts'
import { amountOf } from './currency.ts'

/** How a column writes its numbers. */
export type Notation = 'integer' | 'point' | 'comma'

const INTEGER = /^-?(?:0|[1-9]\d*)$/
/** 1234.5, 1,234.5 and, as in India, 12,34,567.8 */
const POINT = /^-?(?:\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}(?=\.)|\d+)(?:\.\d+)?$/
/** 1234,5 and 1.234,5 */
const COMMA = /^-?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/
/** `+1 234,50`, `1'234.50`, `−5,00`, `5.00-`: only if there are decimals, because phone numbers have signs and spaces. */
const AMOUNT = /^[+\u2212-]?\d{1,3}(?:[ \u00a0\u202f'’.,]?\d{3})*[.,]\d{1,2}-?$/
const LEADING_ZERO = /^-?0\d+$/
const MOST_DIGITS = 15

/** The notation that all texts share; null if they are not all numbers. */
export function notationOf(written: readonly string[]): Notation | null {
  const texts = written.map(simple)
  if (texts.length === 0 || texts.some(isCode)) return null
  if (texts.every(text => INTEGER.test(text))) return 'integer'
  if (texts.every(text => POINT.test(text))) return 'point'
  return texts.every(text => COMMA.test(text)) ? 'comma' : null
}

export function numberOf(written: string, notation: Notation): number | RawNumber | null {
  const text = simple(written)
  if (isCode(text)) return null
  if (notation === 'integer') return INTEGER.test(text) ? Number(text) : null
  if (notation === 'point') return POINT.test(text) ? exact(text.replaceAll(',', '')) : null
  return COMMA.test(text) ? exact(text.replaceAll('.', '').replace(',', '.')) : null
}

const rawJson = (JSON as unknown as { rawJSON(text: string): RawNumber }).rawJSON

/** Keeps every digit, even of numbers that a double cannot represent. */
function exact(text: string): number | RawNumber {
  return digits(text) <= MOST_DIGITS ? Number(text) : rawJson(text.replace(/^(-?)0+(?=\d)/, '$1'))
}

/** An integer with leading zeros or more than 15 digits is an identifier. */
function isCode(text: string): boolean {
  return LEADING_ZERO.test(text) || (INTEGER.test(text) && digits(text) > MOST_DIGITS)
}

export function isNumberLike(written: string): boolean {
  const text = amountOf(written)?.number ?? simple(written)
  return POINT.test(text) || COMMA.test(text)
}

/** An amount without the signs and spaces that only amounts have. */
function simple(text: string): string {
  if (!AMOUNT.test(text)) return text
  const digits = text.replace(/[ \u00a0\u202f'’+-]|\u2212/g, '')
  return /^[\u2212-]|-$/.test(text) ? `-${digits}` : digits
}

function digits(text: string): number {
  return text.replace(/\D/g, '').length
}
