import { grantsField, type Source } from '../access/enforce.ts'
import {
  formatOf,
  propertyOf,
  RANGE_OPERATORS,
  type RangeOperator,
  rangeOperators,
  typesOf,
} from '../declaration/declaration.ts'
import { numberOrderKey, orderKey } from '../declaration/keys.ts'
import { isMadeFromData } from '../declaration/source-id.ts'
import { CodedError, invalidRequest } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import type { LongText } from './record.ts'

export type FilterOperator = 'eq' | RangeOperator

/** One condition as it was asked for; its value is read by the field's declared type. */
export interface Condition {
  field: string
  operator: FilterOperator
  value: string
}

/** A condition made ready for one source: values compare as keys. */
export interface CompiledCondition {
  field: string
  operator: FilterOperator
  key: string
  format: string | undefined
}

const PARAM = /^filter\[([^\]]+)\](?:\[([^\]]*)\])?$/

/** Reads `filter[field]` and `filter[field][op]`. */
export function parseFilterParam(name: string, value: string): Condition {
  const match = PARAM.exec(name)
  if (!match) throw invalidRequest('A filter is filter[field] or filter[field][operator].', name)
  const [, field = '', operator] = match
  if (operator !== undefined && !RANGE_OPERATORS.includes(operator as RangeOperator)) {
    throw invalidRequest(`An operator is one of ${RANGE_OPERATORS.join(', ')}.`, name)
  }
  return { field, operator: (operator as RangeOperator | undefined) ?? 'eq', value }
}

/** A source that can match the conditions of a request, with the conditions compiled for it. */
export interface SelectedSource {
  source: Source
  conditions: CompiledCondition[]
}

/**
 * The sources that a request reads under its conditions: listing, counting and search all select by this function. A
 * source that does not open every field of the conditions cannot match and is left out.
 */
export function selectSources(
  sources: readonly Source[],
  conditions: readonly Condition[],
  isOwner: boolean,
): SelectedSource[] {
  for (const { field } of conditions) assertField(field, sources, isOwner, `filter[${field}]`)
  return sources.flatMap(source => {
    const compiled = compileConditions(conditions, source)
    return compiled ? [{ source, conditions: compiled }] : []
  })
}

/**
 * Refuses a field that no source opens (403) or declares (400). Where the names of fields are data, a missing field looks
 * like a hidden one to a client.
 */
export function assertField(
  field: string,
  sources: readonly Source[],
  isOwner: boolean,
  param: string,
): void {
  const declared = sources.filter(source => propertyOf(source.stream, field))
  if (declared.some(source => grantsField(source, field))) return
  const isPublic = sources.every(({ source_id }) => !isMadeFromData(source_id))
  if (isOwner || (declared.length === 0 && isPublic))
    throw invalidRequest(`The stream does not declare a field ${field}.`, param, 'unknown_field')
  throw new CodedError('field_not_granted', `The grant does not open a field ${field}.`, { param })
}

/** Compiles the conditions for one source; null when it does not open one of the fields. */
function compileConditions(conditions: readonly Condition[], source: Source): CompiledCondition[] | null {
  const { stream } = source
  if (!conditions.every(({ field }) => grantsField(source, field) && propertyOf(stream, field))) return null
  const compiled: CompiledCondition[] = []
  for (const { field, operator, value } of conditions) {
    const property = propertyOf(stream, field)
    if (operator !== 'eq' && !rangeOperators(stream, field).includes(operator)) {
      throw invalidRequest(
        `The stream declares no ${operator} filter on ${field}.`,
        `filter[${field}][${operator}]`,
      )
    }
    const format = formatOf(stream, field)
    const key = keyOf(value, typesOf(property), format)
    if (key === null)
      throw invalidRequest(`"${value}" is not a valid value for ${field}.`, `filter[${field}]`)
    compiled.push({ field, operator, key, format })
  }
  return compiled
}

function keyOf(text: string, types: string[], format: string | undefined): string | null {
  if (
    (types.includes('integer') || types.includes('number')) &&
    /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)
  ) {
    return numberOrderKey(text)
  }
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return orderKey(text === 'true')
  if (types.includes('string') || types.length === 0) {
    const key = orderKey(text, format)
    return format === 'date-time' || format === 'date' ? (key?.startsWith('t') ? key : null) : key
  }
  return null
}

/** Whether visible data passes every condition. A long text passes none. */
export function passes(
  conditions: readonly CompiledCondition[],
  data: JsonObject,
  long_texts: LongText[],
): boolean {
  return conditions.every(({ field, operator, key, format }) => {
    if (
      !Object.hasOwn(data, field) ||
      long_texts.some(long => long.path.length === 1 && long.path[0] === field)
    )
      return false
    const own = orderKey(data[field], format)
    return own !== null && own[0] === key[0] && holds(operator, compareKeys(own, key))
  })
}

function holds(operator: FilterOperator, order: number): boolean {
  switch (operator) {
    case 'eq':
      return order === 0
    case 'gte':
      return order >= 0
    case 'gt':
      return order > 0
    case 'lte':
      return order <= 0
    case 'lt':
      return order < 0
  }
}

/** Orders texts by code points, as both engines do; JavaScript's own order is by UTF-16 units. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x !== y) return fix(x) - fix(y)
  }
  return a.length - b.length
}

/** Moves surrogates above the rest of the plane, so that comparing units compares code points. */
function fix(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2000 : unit >= 0xe000 ? unit - 0x800 : unit
}
