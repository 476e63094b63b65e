import type { ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { isObject, type Json, type JsonObject } from '../json.ts'

// Without ownProperties a field named `constructor` would be found in every object.
const OPTIONS = {
  strict: false,
  allErrors: false,
  validateFormats: true,
  ownProperties: true,
  logger: false,
} as const

/** Checks schemas themselves. Its rules take a long time to compile and a lot of memory, so all schemas share them. */
let checker: Ajv2020 | null = null

function compile(schema: JsonObject): ValidateFunction {
  const { $schema: _schema, $id: _id, ...rest } = schema
  checker ??= new Ajv2020(OPTIONS)
  checker.validateSchema(rest, true)
  const ajv = withFormats(new Ajv2020({ ...OPTIONS, meta: false, validateSchema: false }))
  return ajv.compile(rest)
}

/** A validator that checks formats such as `date-time`, which it would otherwise ignore. */
export function withFormats<Validator>(ajv: Validator): Validator {
  // ajv-formats' default export is typed for CommonJS; under nodenext it arrives as the function itself.
  ;(addFormats as unknown as (instance: unknown) => void)(ajv)
  return ajv
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

/**
 * Why a JSON Schema cannot be used; null if it can. Only dialect 2020-12 and references inside the schema are allowed.
 */
export function schemaProblem(schema: JsonObject): string | null {
  if (schema.$schema !== undefined && schema.$schema !== DIALECT)
    return `$schema must be ${DIALECT} or absent`
  const reference = foreignReference(schema)
  if (reference !== undefined) return `${reference} is not a reference inside the schema, which begins with #`
  try {
    compile(schema)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

function foreignReference(value: Json): string | undefined {
  if (Array.isArray(value)) return firstOf(value, foreignReference)
  if (!isObject(value)) return undefined
  for (const keyword of ['$ref', '$dynamicRef']) {
    const target = value[keyword]
    if (typeof target === 'string' && !target.startsWith('#')) return target
  }
  return firstOf(Object.values(value), foreignReference)
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

type Validator = (value: Json) => string | null

const validators = new Map<string, Validator>()
const MOST_VALIDATORS = 100

/** A function that says why a value does not match the schema; null if it matches. Compiled once for each schema. */
export function validatorOf(schema: JsonObject): Validator {
  const text = JSON.stringify(schema)
  const known = validators.get(text)
  if (known) return known
  if (validators.size >= MOST_VALIDATORS) validators.clear()
  const validator = newValidator(schema)
  validators.set(text, validator)
  return validator
}

function newValidator(schema: JsonObject): Validator {
  const validate = compile(schema)
  return value => (validate(value) ? null : describe(validate.errors ?? []))
}

function describe(errors: ErrorObject[]): string {
  return errors
    .slice(0, 3)
    .map(error => `${error.instancePath || '/'} ${error.message ?? 'is invalid'}`)
    .join('; ')
}
