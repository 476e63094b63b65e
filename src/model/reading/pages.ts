import { propertyOf, type StreamDeclaration } from '../declaration/declaration.ts'
import { type FieldPath, pathOf, valueAt } from '../declaration/field-path.ts'
import { isObject, type JsonObject } from '../json.ts'
import type { Range } from './window.ts'

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
