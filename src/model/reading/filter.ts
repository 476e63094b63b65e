import { grantsField, type Source } from '../access/enforce.ts'
import {
  fieldNames,
  formatOf,
  isMadeFromData,
  propertyOf,
  RANGE_OPERATORS,
  type RangeOperator,
  rangeOperators,
  type StreamDeclaration,
  typesOf,
} from '../declaration/declaration.ts'
import { numberOrderKey, orderKey } from '../declaration/keys.ts'
import { CodedError, invalidRequest } from '../errors.ts'
import type { Json, JsonObject } from '../json.ts'
import { someNames } from '../some-names.ts'
import { type LongText, longTextOf } from './record.ts'
import { passesRole, type RoleCondition } from './role-test.ts'

/** The operators of `where` besides equality. */
export const WHERE_OPERATORS = [...RANGE_OPERATORS, 'contains', 'in'] as const
export type WhereOperator = (typeof WHERE_OPERATORS)[number]

const SIGNS: Readonly<Record<string, string>> = { '>=': 'gte', '>': 'gt', '<=': 'lte', '<': 'lt' }

/** What to write instead of a value that does not have the type of its field. */
function valueAdvice(value: string, format: string | undefined): string {
  const [, sign = '', bound] = /^([<>]=?)\s*(.+)$/.exec(value) ?? []
  if (bound !== undefined) return ` Use the operator ${SIGNS[sign]} with ${bound}.`
  return format === 'date-time' ? ' It must be a time, such as 2015-08-02T12:00:00Z.' : ''
}

/** One condition as requested; its value is parsed by the field's declared type. */
export interface Condition {
  field: string
  /** Conditions with `in` on one field belong together: matching one of their values is enough. */
  operator: 'eq' | WhereOperator
  value: string
}

/** A condition and the parameter that requested it. */
export interface AskedCondition extends Condition {
  param: string
}

interface Compiled {
  field: string
  format: string | undefined
}

/** A condition that compares the key of a value. */
interface KeyCondition extends Compiled {
  operator: 'eq' | RangeOperator
  key: string
  /** Of a time bound: see `TimeBound`. */
  day?: string
}

/** The key of a bound that excludes nothing that the condition lets pass. */
export function widestKey({ operator, key, day }: KeyCondition): string {
  return operator === 'gte' ? (day ?? key) : key
}

/** A condition compiled for one source: values compare as keys, texts case-insensitively. */
export type CompiledCondition = RoleCondition | FieldCondition

export type FieldCondition =
  | KeyCondition
  | (Compiled & { operator: 'in'; keys: string[] })
  | (Compiled & { operator: 'contains'; text: string; key: string | null })

const PARAM = /^\w+\[([^\]]+)\](?:\[([^\]]*)\])?$/

/** Parses `where[field]` and `where[field][operator]`, or the same with `filter`. */
export function parseCondition(
  param: string,
  value: string,
  operators: readonly WhereOperator[],
): AskedCondition {
  const match = PARAM.exec(param)
  const name = param.split('[', 1)[0]
  if (!match) throw invalidRequest(`A condition must be ${name}[field] or ${name}[field][operator].`, param)
  const [, field = '', given] = match
  const operator = given === undefined ? 'eq' : operators.find(known => known === given)
  if (!operator) throw invalidRequest(`An operator must be one of ${operators.join(', ')}.`, param)
  return { field, operator, value, param }
}

/** A source that can match the conditions of a request, with the conditions compiled for it. */
export interface SelectedSource {
  source: Source
  conditions: CompiledCondition[]
}

/**
 * The sources that a request reads under its conditions; listing, counting and search all use this function. A source
 * that does not grant every field in the conditions cannot match and is left out.
 */
export function selectSources(
  sources: readonly Source[],
  conditions: readonly AskedCondition[],
  isOwner: boolean,
): SelectedSource[] {
  for (const { field, param } of conditions) assertField(field, sources, isOwner, param)
  return sources.flatMap(source => {
    const compiled = compileConditions(conditions, source)
    return compiled ? [{ source, conditions: compiled }] : []
  })
}

/**
 * Refuses a field that no source grants (403) or declares (400). If field names are personal data, a missing field
 * looks like a hidden one to a client.
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
    throw invalidRequest(
      `The stream does not declare a field ${field}.${known(sources, field, 'It has')}`,
      param,
      'unknown_field',
    )
  throw fieldNotGranted(field, sources, param)
}

/** The refusal of a field that is hidden or, where field names are personal data, missing. */
export function fieldNotGranted(field: string, sources: readonly Source[], param: string): CodedError {
  const message = `The grant does not open a field ${field}.${known(sources, field, 'It opens')}`
  return new CodedError('field_not_granted', message, { param })
}

const MOST_NAMED = 20

/** Lists the fields that may be named, so that the caller can correct the request. */
function known(sources: readonly Source[], asked: string, verb: string): string {
  const open = sources.flatMap(source =>
    fieldNames(source.stream).filter(field => grantsField(source, field)),
  )
  return open.length === 0 ? '' : ` ${verb} ${someNames(open, MOST_NAMED, asked)}.`
}

/** Compiles the conditions for one source; null if it does not grant one of the fields. */
function compileConditions(
  conditions: readonly AskedCondition[],
  source: Source,
): CompiledCondition[] | null {
  const { stream } = source
  if (!conditions.every(({ field }) => grantsField(source, field) && propertyOf(stream, field))) return null
  const anyOf = new Map<string, string[]>()
  return conditions.flatMap((condition): CompiledCondition[] => {
    const { field, operator } = condition
    const format = formatOf(stream, field)
    if (operator === 'contains') return [{ field, operator, format, ...contained(condition, stream) }]
    if (operator !== 'eq' && operator !== 'in' && !rangeOperators(stream, field).includes(operator))
      throw invalidRequest(`The stream declares no ${operator} filter on ${field}.`, condition.param)
    const key = keyOf(condition.value, typesOf(propertyOf(stream, field)), format)
    if (key === null) {
      const advice = valueAdvice(condition.value, format)
      throw invalidRequest(
        `"${condition.value}" is not a valid value for ${field}.${advice}`,
        condition.param,
      )
    }
    if (operator !== 'in') return [{ field, operator, key, format }]
    const others = anyOf.get(field)
    others?.push(key)
    if (others) return []
    const keys = [key]
    anyOf.set(field, keys)
    return [{ field, operator, keys, format }]
  })
}

/** The value that a text or a list must contain. Items of a list that are not texts must be equal to it. */
function contained({ field, value, param }: AskedCondition, stream: StreamDeclaration) {
  const types = typesOf(propertyOf(stream, field))
  const isTime = TIME_FORMATS.includes(formatOf(stream, field) ?? '')
  const isText = !isTime && (types.length === 0 || types.includes('string'))
  if (!isText && !types.includes('array'))
    throw invalidRequest(`contains works on texts and lists, and ${field} is neither.`, param)
  if (value === '') throw invalidRequest('contains needs a text of at least one character.', param)
  return { text: folded(value), key: keyOf(value, ['number', 'boolean'], undefined) }
}

const TIME_FORMATS = ['date-time', 'date']

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
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
    return TIME_FORMATS.includes(format ?? '') ? (key?.startsWith('t') ? key : null) : key
  }
  return null
}

/** The fields that conditions examine. */
export function decidingFields(conditions: readonly CompiledCondition[]): string[] {
  return conditions.flatMap(condition => ('test' in condition ? condition.fields : [condition.field]))
}

/** Whether visible data passes every condition. A long text never passes. */
export function passes(
  conditions: readonly CompiledCondition[],
  data: JsonObject,
  long_texts: LongText[],
): boolean {
  return conditions.every(condition => {
    if ('test' in condition) return passesRole(condition, data)
    const { field } = condition
    return Object.hasOwn(data, field) && !longTextOf(long_texts, field) && holds(condition, data[field])
  })
}

function holds(condition: FieldCondition, value: Json | undefined): boolean {
  if (condition.operator === 'contains')
    return Array.isArray(value) ? value.some(item => contains(condition, item)) : contains(condition, value)
  const own = orderKey(value, condition.format)
  if (own === null) return false
  if (condition.operator === 'in') return condition.keys.includes(own)
  if (own === condition.day) return condition.operator === 'gte'
  return own[0] === condition.key[0] && isInOrder(condition.operator, compareKeys(own, condition.key))
}

function contains({ text, key }: { text: string; key: string | null }, value: Json | undefined): boolean {
  if (typeof value === 'string') return folded(value).includes(text)
  return key !== null && orderKey(value) === key
}

function isInOrder(operator: KeyCondition['operator'], order: number): boolean {
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

/** Compares texts by code points, as both engines do; JavaScript compares UTF-16 units. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x !== y) return fix(x) - fix(y)
  }
  return a.length - b.length
}

/** Moves surrogates above the rest of the plane, so that comparing units gives the order of code points. */
function fix(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2000 : unit >= 0xe000 ? unit - 0x800 : unit
}
