import type { ErrorObject } from 'ajv'
import { CodedError } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import { noAverage } from './metric-names.ts'
import type { Tool } from './tool.ts'

/** What to use in place of arguments that no tool has: if a tool has the argument, it gives the advice. */
const INSTEAD: readonly (readonly [names: readonly string[], argument: string, advice: string])[] = [
  [['sender', 'from', 'author'], 'query', 'Write from:NAME in query, or pass person.'],
  [['kind', 'type'], 'connector', 'Pass connector or connection_id.'],
  [['offset', 'page', 'skip'], 'cursor', 'Pass the cursor of the page before.'],
  [['limit'], 'limit_chars', 'Pass limit_chars, or before and after.'],
]

/** What to do instead of ordering by a value. */
const BY_TIME = ' Records are only ordered by time; a filter with gte finds those with large values.'

/** Why arguments are refused, and what to pass instead. */
export function refusal(tool: Tool, args: JsonObject, error: ErrorObject | undefined): CodedError {
  const { properties } = tool.input
  const allowed = Object.keys(properties).join(', ')
  const params = error?.params as Record<string, unknown> | undefined
  const unknown = Object.keys(args).find(name => !Object.hasOwn(properties, name))
  if (unknown !== undefined) {
    const [, needed = '', advice] = INSTEAD.find(([names]) => names.includes(unknown)) ?? []
    const instead = Object.hasOwn(properties, needed) ? ` ${advice}` : ''
    const message = `${tool.name} has no argument ${unknown}.${instead} Allowed: ${allowed}.`
    return new CodedError('invalid_request', message, { param: unknown })
  }
  if (error?.keyword === 'required') {
    const param = String(params?.missingProperty)
    const which = param === 'field_path' ? ': the field that search showed, often text or body' : ''
    return new CodedError('invalid_request', `${tool.name} needs the argument ${param}${which}.`, { param })
  }
  const param = error?.instancePath.slice(1).split('/')[0] ?? ''
  const average = param === 'metric' ? noAverage(args) : null
  if (average) return average
  if (param === 'id' && Array.isArray(args.id))
    return new CodedError('invalid_request', `${tool.name} takes one id. Call it once for each.`, { param })
  if (param === 'stream' && Array.isArray(args.stream)) {
    const message = `${tool.name} takes one stream, or none for all. Call it once for each.`
    return new CodedError('invalid_request', message, { param })
  }
  const { description } = (properties[param] ?? {}) as { description?: string }
  const values = Array.isArray(params?.allowedValues) ? params.allowedValues.join(', ') : description
  const meant = values === undefined ? '' : ` (${values})`
  const advice = ['order', 'sort'].includes(param) ? BY_TIME : ''
  const must = TYPES[String(params?.type)] ?? error?.message
  return new CodedError('invalid_request', `${param} ${must}${meant}.${advice}`, { param })
}

/** What a value of another type than the schema's is told. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'must be a text',
  integer: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
}
