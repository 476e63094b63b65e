import { isObject, isRawNumber, type Json } from '../../model/json.ts'
import { timesAt } from '../times.ts'
import { type DayOrder, dayOrderOf, parseWrittenTime, type WrittenTime } from '../written-time.ts'
import { amountOf } from './currency.ts'
import { type Notation, notationOf, numberOf } from './numbers.ts'

export type Kind = 'integer' | 'number' | 'boolean' | 'date' | 'text' | 'texts' | 'object' | 'list' | 'mixed'

/** A column, as detected from the first rows. */
export interface Column {
  /** The key of its values in a row. */
  source: string
  /** The name as written; empty if there is none. */
  title: string
  /** The name in the record. */
  name: string
  kind: Kind
  /** The value for the record; undefined if it does not fit the column. */
  read(value: Json): Json | undefined
  /** Reads the value as a time, without a zone in `timeZone` or else in UTC; null if the column does not contain times. */
  timeOf: ((value: Json, timeZone?: string) => WrittenTime | null) | null
  /** Reads the currency of a value; null if the column does not contain amounts with a currency. */
  currencyOf: ((value: Json) => string | null) | null
  /** In the sample: the share of rows with a value, the number of different values, the average length of texts. */
  filled: number
  distinct: number
  length: number
  /** The share of values that are words, and of values with several words. */
  words: number
  sentences: number
  /** The share of values that are times of day. */
  clocks: number
}

const TIME_NAME = /time|date|stamp|created|updated|(?:^|[^a-z])(?:at|ts|on)$|[a-z]At$|usec|_ms$|Ms$/
const DAY = /^[^T]*(?:T00:00:00)?$/
const EMPTY = new Set(['', 'null', 'NULL', 'N/A', 'n/a', '-'])

/**
 * A column of text, as in CSV. Its type is the one that fits all values. `order` is that of day and month in dates which
 * could be read either way.
 */
export function textColumn(
  source: string,
  title: string,
  name: string,
  values: readonly string[],
  order: DayOrder = null,
): Column {
  const filled = values.map(value => value.trim()).filter(value => value !== '')
  const known = filled.filter(value => !EMPTY.has(value))
  const base = { source, title, name, currencyOf: null, ...figuresOf(filled, values.length) }
  const notation = notationOf(known)
  if (notation !== null) {
    const timeOf = epochReader(title, known)
    return { ...base, kind: kindOfNumbers(notation), timeOf, read: value => readNumber(value, notation) }
  }
  const amounts = known.map(amountOf)
  const hasCurrency = amounts.some(amount => amount?.currency)
  const common = hasCurrency ? notationOf(amounts.map(amount => amount?.number ?? '')) : null
  if (common !== null) {
    const read = (value: Json) => readNumber(amountOf(String(value))?.number ?? value, common)
    const currencyOf = (value: Json) => amountOf(String(value))?.currency ?? null
    return { ...base, kind: kindOfNumbers(common), timeOf: null, read, currencyOf }
  }
  if (known.length > 0 && known.every(value => /^(true|false)$/i.test(value)))
    return { ...base, kind: 'boolean', timeOf: null, read: readBoolean }
  const timeOf = writtenTimeReader(title, known, order)
  if (timeOf !== null && known.every(isIsoDate))
    return { ...base, kind: 'date', timeOf, read: value => readDate(String(value)) }
  return { ...base, kind: 'text', timeOf, read: value => (value === '' ? null : value) }
}

export function jsonColumn(source: string, name: string, values: readonly Json[]): Column {
  const filled = values.filter(value => value !== null)
  const base = {
    source,
    title: source,
    name,
    currencyOf: null,
    ...figuresOf(filled.map(textOf), values.length),
  }
  const kinds = new Set(filled.map(kindOf))
  if (kinds.has('integer') && kinds.has('number')) kinds.delete('integer')
  const kind: Kind = kinds.size === 1 ? ([...kinds][0] as Kind) : kinds.size === 0 ? 'text' : 'mixed'
  const fits = (value: Json): boolean => {
    const own = kindOf(value)
    if (own === kind || value === null || kind === 'mixed') return true
    if (isNumber(kind)) return isNumber(own)
    return kind === 'list' && own === 'texts'
  }
  const texts = kind === 'text' ? filled.map(String).filter(text => text !== '') : []
  const epochs = ['integer', 'number', 'text'].includes(kind)
    ? filled.map(textOf).filter(text => text !== '')
    : []
  const timeOf = writtenTimeReader(source, texts) ?? epochReader(source, epochs)
  return { ...base, kind, timeOf, read: value => (fits(value) ? value : undefined) }
}

function isNumber(kind: Kind): boolean {
  return kind === 'integer' || kind === 'number'
}

function kindOf(value: Json): Kind {
  if (typeof value === 'string' || value === null) return 'text'
  if (typeof value === 'boolean') return 'boolean'
  if (isRawNumber(value)) return /[.eE]/.test(value.rawJSON) ? 'number' : 'integer'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  if (isObject(value)) return 'object'
  return Array.isArray(value) && value.every(item => typeof item === 'string') ? 'texts' : 'list'
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function figuresOf(texts: readonly string[], rows: number) {
  const length = texts.reduce((sum, text) => sum + text.length, 0) / Math.max(1, texts.length)
  const starts = texts.map(text => text.slice(0, 200))
  const share = (pattern: RegExp) =>
    starts.filter(start => pattern.test(start)).length / Math.max(1, starts.length)
  return {
    filled: rows === 0 ? 0 : texts.length / rows,
    distinct: new Set(texts).size,
    length,
    words: share(/^(?=.*\p{L}{2})[^\d]*$|\p{L}{2}.*\s/su),
    sentences: share(/\S\s+\S/),
    clocks: share(/^\s*\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?\s*$/i),
  }
}

function kindOfNumbers(notation: Notation): Kind {
  return notation === 'integer' ? 'integer' : 'number'
}

function readNumber(value: Json, notation: Notation): Json | undefined {
  const text = String(value).trim()
  if (EMPTY.has(text)) return text === '' ? null : undefined
  // A column of integers in the sample may contain decimals later.
  return numberOf(text, notation) ?? numberOf(text, notation === 'integer' ? 'point' : notation) ?? undefined
}

function readBoolean(value: Json): Json | undefined {
  const text = String(value).trim().toLowerCase()
  return text === '' ? null : text === 'true' ? true : text === 'false' ? false : undefined
}

function readDate(value: string): Json | undefined {
  const text = value.trim()
  return text === '' ? null : isIsoDate(text) && parseWrittenTime(text, null) ? text : undefined
}

function isIsoDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text)
}

/** Reads times as people and programs write them; null unless every value of the sample is one. */
function writtenTimeReader(name: string, texts: readonly string[], usual: DayOrder = null): Column['timeOf'] {
  if (texts.length === 0) return null
  const order = dayOrderOf(texts) ?? usual
  const times = texts.map(text => parseWrittenTime(text, order))
  if (times.includes(null)) return null
  const isUtc = /utc|gmt/i.test(name)
  // A column that only has midnights is a column of days, which have no zone.
  const hasDays = times.every(time => DAY.test(time?.local ?? ''))
  return (value, timeZone) => {
    if (typeof value !== 'string') return null
    const time = parseWrittenTime(value, order, isUtc ? 'UTC' : timeZone)
    return hasDays && time && DAY.test(time.local) ? parseWrittenTime(value, order) : time
  }
}

const UNITS = [1000, 1, 1 / 1000, 1 / 1_000_000]
const YEAR_1990 = 631_152_000_000
const YEAR_2100 = 4_102_444_800_000

/** Reads seconds, milliseconds, microseconds or nanoseconds since 1970, if the name of the column suggests a time. */
function epochReader(name: string, texts: readonly string[]): Column['timeOf'] {
  if (texts.length === 0 || !TIME_NAME.test(name)) return null
  const inRange = (ms: number) => ms >= YEAR_1990 && ms < YEAR_2100
  const unit = UNITS.find(each => texts.every(text => inRange(Number(text) * each)))
  if (unit === undefined) return null
  return value => {
    const ms = Math.trunc(Number(textOf(value)) * unit)
    const times = Number.isFinite(ms) && inRange(ms) ? timesAt(ms, 0) : null
    return times && { utc: times.utc, local: times.local, precision: 'time', hasZone: true }
  }
}
