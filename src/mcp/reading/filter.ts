import { RANGE_OPERATORS } from '../../model/declaration/declaration.ts'
import { CodedError } from '../../model/errors.ts'
import { isObject, type JsonObject } from '../../model/json.ts'
import type { Query } from './resource-server-client.ts'

const OPERATORS = new Set<string>(RANGE_OPERATORS)

/** A filter object as the parameters `filter[field]` and `filter[field][op]`. */
export function filterQuery(args: JsonObject): Query {
  if (!isObject(args.filter)) return {}
  const query: Query = {}
  for (const [field, condition] of Object.entries(args.filter)) {
    if (field === '' || /[[\]]/.test(field)) throw refused(`"${field}" is not a field name.`)
    if (!isObject(condition)) {
      query[`filter[${field}]`] = scalar(field, condition)
      continue
    }
    const bounds = Object.entries(condition)
    if (bounds.length === 0) throw refused(`The filter on ${field} names no bound.`)
    for (const [operator, value] of bounds) {
      if (!OPERATORS.has(operator)) throw refused(`${operator} is not an operator. Use gte, gt, lte or lt.`)
      query[`filter[${field}][${operator}]`] = scalar(field, value)
    }
  }
  return query
}

function scalar(field: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw refused(`The filter on ${field} needs a string, a number or a boolean.`)
}

function refused(message: string): CodedError {
  return new CodedError('invalid_request', message, { param: 'filter' })
}
