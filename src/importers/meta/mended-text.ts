import { isUtf8 } from 'node:buffer'
import { isObject, type Json } from '../../model/json.ts'

/** Facebook and Instagram write each byte of UTF-8 as a character: `MÃ¼ller` for `Müller`. */
export function mended(text: string): string {
  if (!/[\u0080-\u00ff]/.test(text) || /[^\0-\u00ff]/.test(text)) return text
  const bytes = Buffer.from(text, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : text
}

/** The same for every text in a value. */
export function mendedAll<T extends Json>(value: T): T {
  if (typeof value === 'string') return mended(value) as T
  if (Array.isArray(value)) return value.map(mendedAll) as unknown as T
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, mendedAll(child)]),
  ) as unknown as T
}
