import { createHash } from 'node:crypto'
import { isRawNumber, type Json } from '../json.ts'
import { advance, hasAtMost } from '../text/code-points.ts'
import { instantKey } from '../time.ts'

const SORT_TEXT_CHARS = 256
const RECORD_KEY_BYTES = 1_200

/** The first character of the key of a text. */
export const TEXT_KEY = 's'

/**
 * A value as text whose byte order is the order of the values, the same on every engine: numbers before booleans before
 * strings before times. Null for a value that has no order.
 */
export function orderKey(value: Json | undefined, format?: string): string | null {
  if (typeof value === 'number') return numberOrderKey(String(value))
  if (isRawNumber(value)) return numberOrderKey(value.rawJSON)
  if (typeof value === 'boolean') return value ? 'o1' : 'o0'
  if (typeof value !== 'string') return null
  const instant = format === 'date-time' || format === 'date' ? instantKey(value) : null
  return instant ? `t${instant}` : TEXT_KEY + value
}

/** An order key short enough for an index: only the first 256 characters of a text count. */
export function sortKey(value: Json | undefined, format?: string): string | null {
  const key = orderKey(value, format)
  return key && key.length > SORT_TEXT_CHARS ? key.slice(0, advance(key, 0, SORT_TEXT_CHARS)) : key
}

/** The key of a consent-time value in the time column; null if the value is not a time. */
export function timeKey(value: Json | undefined): string | null {
  const instant = typeof value === 'string' ? instantKey(value) : null
  return instant ? `t${instant}` : null
}

/** The order key of a number given in JSON notation. */
export function numberOrderKey(source: string): string {
  return `n${numberKey(source)}`
}

function numberKey(source: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source)
  if (!match) return '1'
  const [, sign, whole = '', fraction = '', power = '0'] = match
  const all = whole + fraction
  const digits = all.replace(/^0+/, '')
  if (digits === '') return '1'
  const exponent = whole.length + Number(power) - (all.length - digits.length)
  const biased = String(Math.min(999_999, Math.max(0, exponent + 500_000))).padStart(6, '0')
  // Not by a pattern: it would try each run of zeros from each of its zeros on.
  let end = digits.length
  while (digits[end - 1] === '0') end--
  const mantissa = digits.slice(0, end)
  if (sign === '') return `2${biased}${mantissa}`
  const complement = (text: string) => text.replace(/\d/g, digit => String(9 - Number(digit)))
  return `0${complement(biased)}${complement(mantissa)}~`
}

/**
 * The record id for the values of a primary key: the value itself, or a minified JSON array of strings. Null if a part
 * is missing.
 */
export function recordIdOf(values: readonly (Json | undefined)[]): string | null {
  if (values.length === 1) return idPart(values[0])
  const parts = values.map(idPart)
  return parts.includes(null) ? null : JSON.stringify(parts)
}

function idPart(value: Json | undefined): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return isRawNumber(value) ? value.rawJSON : null
}

export const RECORD_ID_CHARS = 1_024

/** `.` and `..` cannot be ids, because URLs cannot contain them as a segment. */
export function isRecordId(id: string): boolean {
  if (id === '' || id === '.' || id === '..') return false
  return hasAtMost(id, RECORD_ID_CHARS)
}

/** Separates the prefix of a record id from its hash; an id that contains it is hashed too, so two ids never collide. */
const HASH_MARK = '\u{10FFFD}'

/** A record id as stored in keys and indexes: the id itself, or a prefix and a hash if it is too long for an index. */
export function recordKey(recordId: string): string {
  const fits = recordId.length * 3 <= RECORD_KEY_BYTES || Buffer.byteLength(recordId) <= RECORD_KEY_BYTES
  if (fits && !recordId.includes(HASH_MARK)) return recordId
  const beginning = recordId.slice(0, advance(recordId, 0, 260))
  return `${beginning}${HASH_MARK}${createHash('sha256').update(recordId).digest('hex')}`
}
