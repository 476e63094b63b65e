import { CodedError } from '../errors.ts'

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
