import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { CodedError } from '../model/errors.ts'
import { isObject, isTooDeep, type JsonObject } from '../model/json.ts'
import type { ObjectSchema, Tool } from './tool.ts'

/** Arguments that hosts add by themselves and that tools ignore (ER-4). */
const INJECTED = ['wait_for_previous']
const MOST_LEVELS = 8

const ajv = new Ajv({ allErrors: false, strict: false })
const validators = new WeakMap<ObjectSchema, ValidateFunction>()

/** The arguments of a call, checked against the tool's schema before anything else happens. */
export function checkedArguments(tool: Tool, given: unknown): JsonObject {
  const args = isObject(given ?? {}) ? { ...(given as JsonObject) } : null
  if (!args) throw new CodedError('invalid_request', 'The arguments must be an object.')
  for (const name of INJECTED) delete args[name]
  if (isTooDeep(args, MOST_LEVELS))
    throw new CodedError('invalid_request', 'The arguments are nested too deeply.')
  const validate = validators.get(tool.input) ?? ajv.compile(tool.input)
  validators.set(tool.input, validate)
  if (validate(args)) return args
  throw refusal(tool, validate.errors?.[0])
}

function refusal(tool: Tool, error: ErrorObject | undefined): CodedError {
  const allowed = Object.keys(tool.input.properties).join(', ')
  const params = error?.params as Record<string, unknown> | undefined
  if (error?.keyword === 'additionalProperties') {
    const param = String(params?.additionalProperty)
    return new CodedError('invalid_request', `${tool.name} has no argument ${param}. Allowed: ${allowed}.`, {
      param,
    })
  }
  if (error?.keyword === 'required') {
    const param = String(params?.missingProperty)
    return new CodedError('invalid_request', `${tool.name} needs the argument ${param}.`, { param })
  }
  const param = error?.instancePath.slice(1).split('/')[0] ?? ''
  const values = Array.isArray(params?.allowedValues) ? ` (${params.allowedValues.join(', ')})` : ''
  return new CodedError('invalid_request', `${param} ${error?.message}${values}.`, { param })
}

export function text(args: JsonObject, name: string): string | undefined {
  const value = args[name]
  return typeof value === 'string' ? value : undefined
}

export function number(args: JsonObject, name: string): number | undefined {
  const value = args[name]
  return typeof value === 'number' ? value : undefined
}

export function texts(args: JsonObject, name: string): string[] | undefined {
  const value = args[name]
  return Array.isArray(value) ? value.map(String) : undefined
}
