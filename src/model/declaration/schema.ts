import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Json, JsonObject } from '../json.ts'

// Without ownProperties a field named `constructor` would be found in every object.
const OPTIONS = {
  strict: false,
  allErrors: false,
  validateFormats: true,
  ownProperties: true,
  logger: false,
} as const

function compile(schema: JsonObject): ValidateFunction {
  const { $schema, $id: _id, ...rest } = schema
  const old = typeof $schema === 'string' && /draft-0[67]/.test($schema)
  const ajv = old ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS)
  // ajv-formats' default export is typed for CommonJS; under nodenext it arrives as the function itself.
  ;(addFormats as unknown as (instance: unknown) => void)(ajv)
  return ajv.compile(rest)
}

/** Why a JSON Schema cannot be used; null when it can. */
export function schemaProblem(schema: JsonObject): string | null {
  try {
    compile(schema)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

type Validator = (value: Json) => string | null

const validators = new Map<string, Validator>()
const MOST_VALIDATORS = 100

/** A function that says why a value does not fit the schema; null when it fits. Compiled once for each schema. */
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
