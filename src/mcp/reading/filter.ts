import { RANGE_OPERATORS } from '../../model/declaration/declaration.ts'
import { CodedError } from '../../model/errors.ts'
import { isObject, type JsonObject } from '../../model/json.ts'
import type { Condition } from '../../model/reading/filter.ts'

/** The conditions of a filter object: field → value, or field → {gte, gt, lte, lt}. */
export function conditionsOf(args: JsonObject): Condition[] {
  if (!isObject(args.filter)) return []
  return Object.entries(args.filter).flatMap(([field, condition]): Condition[] => {
    if (field === '' || /[[\]]/.test(field)) throw refused(`"${field}" is not a field name.`)
    if (!isObject(condition)) return [{ field, operator: 'eq', value: scalar(field, condition) }]
    const bounds = Object.entries(condition)
    if (bounds.length === 0) throw refused(`The filter on ${field} names no bound.`)
    return bounds.map(([name, value]) => {
      const operator = RANGE_OPERATORS.find(known => known === name)
      if (!operator) throw refused(`${name} is not an operator; use ${RANGE_OPERATORS.join(', ')}.`)
      return { field, operator, value: scalar(field, value) }
    })
  })
}

function scalar(field: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw refused(`The filter on ${field} needs a string, a number or a boolean.`)
}

function refused(message: string): CodedError {
  return new CodedError('invalid_request', message, { param: 'filter' })
}
