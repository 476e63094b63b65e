import { propertyOf, type StreamDeclaration } from '../declaration/declaration.ts'
import { type FieldPath, pathOf, valueAt } from '../declaration/field-path.ts'
import { CodedError } from '../errors.ts'
import { isObject, type JsonObject } from '../json.ts'

export const DEFAULT_LIMIT_CHARS = 4_096
export const MAX_LIMIT_CHARS = 16_384
export const DEFAULT_AROUND_CHARS = 2_048
export const MAX_AROUND_CHARS = 8_192
export const MAX_QUERY_CHARS = 1_000

export type Selector =
  | { by: 'offset'; offset: number; limit: number }
  | { by: 'match'; q: string; before: number; after: number }
  | { by: 'cursor'; cursor: string; limit: number | null }

export interface SelectorInput {
  cursor?: string | undefined
  offset_chars?: number | undefined
  limit_chars?: number | undefined
  q?: string | undefined
  before_chars?: number | undefined
  after_chars?: number | undefined
}

/** A field window has exactly one selector; the error names the rule that was broken (RF-2, RF-3). */
export function parseSelector(input: SelectorInput): Selector {
  const { cursor, offset_chars, limit_chars, q, before_chars, after_chars } = input
  within('offset_chars', offset_chars, 0, Number.MAX_SAFE_INTEGER)
  within('limit_chars', limit_chars, 1, MAX_LIMIT_CHARS)
  within('before_chars', before_chars, 0, MAX_AROUND_CHARS)
  within('after_chars', after_chars, 0, MAX_AROUND_CHARS)
  if (cursor !== undefined) {
    exclude('cursor', { offset_chars, q, before_chars, after_chars })
    return { by: 'cursor', cursor, limit: limit_chars ?? null }
  }
  if (q !== undefined) {
    exclude('q', { offset_chars, limit_chars })
    if (q === '' || q.length > MAX_QUERY_CHARS)
      throw invalid(`q must have 1 to ${MAX_QUERY_CHARS} characters.`, 'q')
    return {
      by: 'match',
      q,
      before: before_chars ?? DEFAULT_AROUND_CHARS,
      after: after_chars ?? DEFAULT_AROUND_CHARS,
    }
  }
  if (before_chars !== undefined) throw invalid('before_chars needs q.', 'before_chars')
  if (after_chars !== undefined) throw invalid('after_chars needs q.', 'after_chars')
  return { by: 'offset', offset: offset_chars ?? 0, limit: limit_chars ?? DEFAULT_LIMIT_CHARS }
}

function within(name: string, value: number | undefined, min: number, max: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= min && value <= max)) return
  throw invalid(`${name} must be an integer from ${min} to ${max}.`, name)
}

function exclude(selector: string, others: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(others)) {
    if (value !== undefined) throw invalid(`${selector} and ${name} cannot be combined.`, name)
  }
}

function invalid(message: string, param: string): CodedError {
  return new CodedError('invalid_window', message, { param })
}

/** A half-open range of code points. */
export interface Range {
  start: number
  end: number
}

export function rangeFrom(offset: number, limit: number, size: number): Range {
  const start = Math.min(offset, size)
  return { start, end: Math.min(size, start + limit) }
}

export function rangeUpTo(end: number, limit: number, size: number): Range {
  const stop = Math.min(end, size)
  return { start: Math.max(0, stop - limit), end: stop }
}

export function rangeAround(match: Range, before: number, after: number, size: number): Range {
  return { start: Math.max(0, match.start - before), end: Math.min(size, match.end + after) }
}

/** What the parts of a document are called. */
export const PAGE_UNITS = ['page', 'slide', 'sheet', 'chapter'] as const
export type PageUnit = (typeof PAGE_UNITS)[number]

/** Where each part of a document begins in its text, in characters. */
export type Pages = {
  unit: PageUnit
  starts: number[]
  /** Names of sheets and chapters; null for a part that has none. */
  names?: (string | null)[]
  /** The numbers of those whose text was recognised in a picture; it may differ from what a person reads there. */
  recognised?: number[]
}

/** The parts of a document that a range of its text is on, counted from 1. */
export interface PageSpan {
  /** The field that contains the places. */
  field: string
  unit: PageUnit
  first: number
  last: number
  /** How many there are. */
  of: number
  /** The name of the first. */
  name: string | null
  /** Text on at least one of them was recognised in a picture. */
  recognised?: true
}

/**
 * The pages that a range of a text is on, if the field with their starts is visible. A text field names that field in
 * `x_pdpp_pages`; for a text inside a list or object, the starts are at the same path inside it.
 */
export function pagesOf(
  stream: StreamDeclaration,
  data: JsonObject,
  path: FieldPath,
  range: Range,
): PageSpan | null {
  const field = propertyOf(stream, path.field)?.x_pdpp_pages
  const pages = typeof field === 'string' ? valueAt(data, pathOf(field, path.rest)) : undefined
  if (field === undefined || !isObject(pages) || !Array.isArray(pages.starts) || pages.starts.length === 0)
    return null
  const { starts, names } = pages
  const unit = PAGE_UNITS.find(known => known === pages.unit)
  if (unit === undefined || !starts.every(start => typeof start === 'number')) return null
  const first = pageAt(starts as number[], range.start)
  const last = pageAt(starts as number[], Math.max(range.start, range.end - 1))
  const name = Array.isArray(names) ? names[first - 1] : null
  const isRecognised =
    Array.isArray(pages.recognised) &&
    pages.recognised.some(number => typeof number === 'number' && number >= first && number <= last)
  return {
    ...{ field, unit, first, last, of: starts.length, name: typeof name === 'string' ? name : null },
    ...(isRecognised ? { recognised: true } : {}),
  }
}

/** The last page that begins at or before a place, because an empty page begins where the next one does. */
function pageAt(starts: readonly number[], place: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] as number) <= place) low = middle + 1
    else high = middle
  }
  return Math.max(1, low)
}

/** `page 3 of 12`, `pages 3 to 4 of 12`, `sheet "Costs" (2 of 3)`, `page 3 of 12, text recognised in a picture` */
export function pagesText({ unit, first, last, of, name, recognised }: Omit<PageSpan, 'field'>): string {
  const one = name === null ? `${unit} ${first} of ${of}` : `${unit} "${name}" (${first} of ${of})`
  const pages = first === last ? one : `${unit}s ${first} to ${last} of ${of}`
  return recognised ? `${pages}, text recognised in a picture` : pages
}
