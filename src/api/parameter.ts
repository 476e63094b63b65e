import { RANGE_OPERATORS } from '../model/declaration/declaration.ts'
import { type ErrorCode, invalidRequest } from '../model/errors.ts'
import {
  type AskedCondition,
  parseCondition,
  WHERE_OPERATORS,
  type WhereOperator,
} from '../model/reading/filter.ts'
import { hasAtMost } from '../model/text/code-points.ts'
import { instantKey } from '../model/time.ts'

/** Something that the caller should know about a response. */
export interface Warning {
  code: string
  message: string
  param?: string
  detail?: unknown
}

/** A query parameter, such as `filter[size][gte]`, and its value. */
export type Given = readonly [name: string, value: string]

/** A query parameter: which values it accepts, and how its text is parsed. */
export interface Parameter<T> {
  /** For the generated documents. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly required: boolean
  /** Whether a page cursor is valid only for the value that it was created with. */
  readonly bound: boolean
  /** Given once, repeatedly, or with a field in brackets. */
  readonly takes: 'one' | 'many' | 'fields'
  /** PDPP writes it with brackets: `streams[]`. */
  readonly bracketed?: true
  /** Whether a client that sends it is refused, before anything is looked up. */
  readonly ownerOnly?: true
  /** The value, or the default if nothing was given; throws if it is invalid. */
  read(given: readonly Given[] | undefined, name: string, warnings: Warning[]): T
}

export type Value<P> = P extends Parameter<infer T> ? T : never

type Parse<T> = (text: string, name: string, warnings: Warning[]) => T

function one<T>(schema: Parameter<T>['schema'], parse: Parse<T>): Parameter<T | undefined> {
  return {
    schema,
    required: false,
    bound: true,
    takes: 'one',
    read: (given, name, warnings) => (given?.[0] ? parse(given[0][1], name, warnings) : undefined),
  }
}

interface Bounds {
  min?: number
  max?: number
  /** The error code of a refusal. */
  code?: ErrorCode
}

export function text({ min = 0, max, code }: Bounds = {}): Parameter<string | undefined> {
  const schema = { type: 'string', ...(min > 0 && { minLength: min }), ...(max && { maxLength: max }) }
  return one(schema, (given, name) => {
    const fits = max === undefined || hasAtMost(given, max)
    if (fits && given.length >= min) return given
    throw invalidRequest(`${name} has ${min} to ${max} characters.`, name, code)
  })
}

/** A whole number as text, small enough to be exact. */
export const WHOLE_NUMBER = /^-?\d{1,15}$/

export function integer({ min = 0, max, code }: Bounds = {}): Parameter<number | undefined> {
  const range = max === undefined ? `from ${min}` : `from ${min} to ${max}`
  return one({ type: 'integer', minimum: min, ...(max && { maximum: max }) }, (given, name) => {
    const value = Number(given)
    if (!WHOLE_NUMBER.test(given)) throw invalidRequest(`${name} is a whole number ${range}.`, name)
    if (value >= min && value <= (max ?? value)) return value
    throw invalidRequest(`${name} is a whole number ${range}.`, name, code)
  })
}

/** A number that is lowered to the maximum if it is larger. Pages of one list may use different values. */
export function atMost(max: number): Parameter<number | undefined> {
  const whole = integer({ min: 1 })
  const schema = { ...whole.schema, description: `values above ${max} are lowered to ${max}` }
  const read: Parameter<number | undefined>['read'] = (...given) => {
    const value = whole.read(...given)
    return value === undefined ? undefined : Math.min(value, max)
  }
  return { ...whole, schema, bound: false, read }
}

/** How many items a page contains; a value that is too large is lowered, with a warning. */
export function limit(fallback: number, max: number): Parameter<number> {
  const whole = integer({ min: 1 })
  return {
    ...withDefault(atMost(max), fallback),
    read(given, name, warnings) {
      const asked = whole.read(given, name, warnings) ?? fallback
      if (asked <= max) return asked
      const message = `${name} was lowered to ${max}, the most per page.`
      warnings.push({ code: 'limit_clamped', message, param: name })
      return max
    },
  }
}

export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
): Parameter<Choice | undefined> {
  return one({ type: 'string', enum: choices }, (given, name) => {
    const found = choices.find(choice => choice === given)
    if (found === undefined) throw invalidRequest(`${name} is one of ${choices.join(', ')}.`, name)
    return found
  })
}

/** Names separated by commas; a comma or a backslash inside a name is escaped with a backslash. */
export function names(): Parameter<string[] | undefined> {
  const description = 'names separated by commas; \\, is a comma inside a name'
  return one({ type: 'string', description }, (given, name) => {
    const found = separated(given)
    if (found.includes('')) throw invalidRequest(`${name} is a list of names separated by commas.`, name)
    return [...new Set(found)]
  })
}

function separated(given: string): string[] {
  if (!given.includes('\\')) return given.split(',')
  const found = ['']
  for (const [part] of given.matchAll(/\\[\\,]|./gsu)) {
    if (part === ',') found.push('')
    else found.push((found.pop() ?? '') + (/^\\./.test(part) ? part.slice(1) : part))
  }
  return found
}

/** Writes a list in the form that `names` reads. */
export function joinNames(names: readonly string[]): string {
  return names.map(name => name.replace(/[\\,]/g, '\\$&')).join(',')
}

/** A date, which means midnight UTC, or a date-time with a zone; as an instant key. */
export function time(): Parameter<string | undefined> {
  return one({ type: 'string', description: 'a date, or a date-time with a zone' }, readTime)
}

export function readTime(given: string, name: string): string {
  const key = instantKey(given)
  if (key === null) throw invalidRequest(`${name} is a date, or a date-time with zone.`, name)
  return key
}

/** A text that may be given several times. */
export function texts(): Parameter<string[] | undefined> {
  return {
    schema: { type: 'array', items: { type: 'string' } },
    required: false,
    bound: true,
    takes: 'many',
    read: given => given && [...new Set(given.map(([, value]) => value))],
  }
}

export function bracketed<T>(parameter: Parameter<T>): Parameter<T> {
  return { ...parameter, bracketed: true }
}

/** Each combination is a separate statement, and each condition is checked for every record. */
const MOST_CONDITIONS = 20

export function assertFewConditions(count: number, param: string): void {
  if (count <= MOST_CONDITIONS) return
  throw invalidRequest(`A request may have at most ${MOST_CONDITIONS} conditions.`, param)
}

/** `where[field]` and `where[field][operator]`: equality, declared ranges, `contains` and `in`. */
export function where(): Parameter<readonly AskedCondition[]> {
  return conditions(WHERE_OPERATORS)
}

/** The owner's `filter[field]` and `filter[field][operator]`: equality and declared ranges. A client has `where`. */
export function ownerFilter(): Parameter<readonly AskedCondition[]> {
  return { ...conditions(RANGE_OPERATORS), ownerOnly: true }
}

function conditions(operators: readonly WhereOperator[]): Parameter<readonly AskedCondition[]> {
  return {
    schema: { type: 'object', additionalProperties: true },
    required: false,
    bound: true,
    takes: 'fields',
    read(given = [], name) {
      assertFewConditions(given.length, name)
      return given.map(([field, value]) => parseCondition(field, value, operators))
    },
  }
}

export function required<T>(parameter: Parameter<T>): Parameter<NonNullable<T>> {
  return {
    ...parameter,
    required: true,
    read(given, name, warnings) {
      const value = given?.[0]?.[1] === '' ? undefined : parameter.read(given, name, warnings)
      if (value === undefined || value === null) throw invalidRequest(`${name} is missing.`, name)
      return value
    },
  }
}

export function withDefault<T>(parameter: Parameter<T>, fallback: NonNullable<T>): Parameter<NonNullable<T>> {
  return {
    ...parameter,
    schema: { ...parameter.schema, default: fallback },
    read: (given, name, warnings) => parameter.read(given, name, warnings) ?? fallback,
  }
}

/** Allows pages of one list to differ in a parameter. */
export function unbound<T>(parameter: Parameter<T>): Parameter<T> {
  return { ...parameter, bound: false }
}
