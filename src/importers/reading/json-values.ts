import { isObject, isRawNumber, type Json, type JsonObject } from '../../model/json.ts'
import { timesAt } from '../times.ts'

/** The text; null if it is empty or not text. */
export function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** Texts as lines of one; null if there are none. */
export function linesIn(...texts: (string | null)[]): string | null {
  return textIn(texts.filter(text => text !== null).join('\n'))
}

/** A text of Slack or X, which write these three characters as entities. */
export function unescaped(text: string): string {
  return text.replace(/&(lt|gt|amp);/g, (_, name: string) => ({ lt: '<', gt: '>', amp: '&' })[name] ?? '')
}

/** An id, which some exports write as text and others as a number. */
export function idIn(value: Json | undefined): string | null {
  if (typeof value === 'number') return String(value)
  return isRawNumber(value) ? value.rawJSON : textIn(value)
}

/** Whatever the value is, as text: for facts that tell two items apart. */
export function writtenIn(value: Json | undefined): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** The ids of a list; anything else in it is ignored. */
export function idsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.map(idIn).filter(id => id !== null) : []
}

export function integerIn(value: Json | undefined): number | null {
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null
}

export function objectIn(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

export function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string' && item !== '').map(String) : []
}

/** A time with a zone (RFC 3339), converted to UTC; null if it is not one. */
export function instantIn(value: Json | undefined): string | null {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:?\d{2})$/.test(value)) return null
  return timesAt(Date.parse(value), 0)?.utc ?? null
}

/** Seconds or milliseconds since 1970, as a time in UTC. */
export function epochIn(
  value: Json | undefined,
  unit: 'seconds' | 'milliseconds' | 'microseconds',
): string | null {
  const number = typeof value === 'string' && /^\d{1,16}(\.\d+)?$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !(number > 0)) return null
  const perUnit = unit === 'seconds' ? 1000 : unit === 'milliseconds' ? 1 : 0.001
  return timesAt(Math.round(number * perUnit), 0)?.utc ?? null
}
