export type Json = string | number | boolean | null | RawNumber | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}
/** A number kept digit for digit because a double cannot represent it; it serialises as it was written. */
export interface RawNumber {
  rawJSON: string
}

/** A number as it is written. */
export const rawNumber = (JSON as unknown as { rawJSON(text: string): RawNumber }).rawJSON
const parseWithSource = JSON.parse as (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown

export const isRawNumber = (JSON as unknown as { isRawJSON(value: unknown): value is RawNumber }).isRawJSON

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
}

/** The objects of a list; none if the value is not a list. */
export function objectsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/**
 * A number follows a colon, a bracket or a comma; the digits of an id in a string usually do not. Those of a digest
 * follow a colon, as in `sha256:9e…`, but no colon of JSON follows a letter or digit.
 */
const MAY_HOLD_LARGE_NUMBERS = /[:[,](?<!\w:)\s*-?\d(?:\d{15}|[\d.]*[eE])/
/** Or the number is the whole text. One pattern for both cases would spend much longer on each character. */
const BEGINS_WITH_NUMBER = /^\s*-?\d/

/**
 * Parses JSON. Integers beyond 2^53 and numbers beyond a double's range become a RawNumber, or whatever `kept` returns.
 */
export function parseJson(text: string, kept: (digits: string) => Json = rawNumber): Json {
  if (!MAY_HOLD_LARGE_NUMBERS.test(text) && !BEGINS_WITH_NUMBER.test(text)) return JSON.parse(text)
  return parseWithSource(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value
    const exact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
    return exact ? value : kept(source)
  }) as Json
}

/** Parses JSON; null if the text is not JSON. */
export function jsonOrNull(text: string, kept?: (digits: string) => Json): Json {
  try {
    return parseJson(text, kept)
  } catch {
    return null
  }
}

/** The value with every number as a double, for code that needs doubles; unchanged parts are shared. */
export function plainNumbers(value: Json): Json {
  if (isRawNumber(value)) return Number(value.rawJSON)
  if (Array.isArray(value)) return value.some(isNested) ? value.map(plainNumbers) : value
  if (!isObject(value) || !Object.values(value).some(isNested)) return value
  const changed = Object.entries(value)
    .filter(([, child]) => isNested(child))
    .map(([key, child]) => [key, plainNumbers(child)] as const)
    .filter(([key, child]) => child !== value[key])
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) }
}

function isNested(value: Json): boolean {
  return typeof value === 'object' && value !== null
}

const MOST_LEVELS = 500

/** Whether arrays and objects are nested more deeply than recursive code can handle. */
export function isTooDeep(value: Json, levels = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return false
  if (levels === 0) return true
  return Object.values(value).some(child => isNested(child) && isTooDeep(child, levels - 1))
}

const HARMFUL_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/

/** Whether a JSON text may decode to U+0000 or to lone surrogates. */
export function mayNeedCleaning(text: string): boolean {
  return HARMFUL_ESCAPE.test(text)
}

/** Replaces U+0000 and lone surrogates with U+FFFD everywhere in a value, including keys, and counts them. */
export function cleanText(value: Json): { value: Json; replaced: number } {
  let replaced = 0
  const cleanString = (text: string): string =>
    text.replace(/\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, () => {
      replaced++
      return '\uFFFD'
    })
  const clean = (node: Json): Json => {
    if (typeof node === 'string') return cleanString(node)
    if (Array.isArray(node)) return node.map(clean)
    if (!isObject(node)) return node
    return Object.fromEntries(Object.entries(node).map(([key, child]) => [cleanString(key), clean(child)]))
  }
  return { value: clean(value), replaced }
}

/** Whether two JSON values are equal; the order of an object's keys does not matter. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (isRawNumber(a) || isRawNumber(b)) return isRawNumber(a) && isRawNumber(b) && a.rawJSON === b.rawJSON
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]))
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every(key => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  )
}

/** A member of an object as JSON defines it: what every JavaScript object inherits is not one. */
export function own<T>(object: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Sets a key as JSON defines it, even if it is named `__proto__`. */
export function define(target: JsonObject, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}
