import { CodedError } from '../../model/errors.ts'
import { isObject, type JsonObject } from '../../model/json.ts'
import { type Condition, WHERE_OPERATORS } from '../../model/reading/filter.ts'

/** What other query languages call the operators. */
const SAME_OPERATOR: Readonly<Record<string, Condition['operator']>> = {
  ...{ eq: 'eq', equals: 'eq', is: 'eq', '=': 'eq', '==': 'eq' },
  ...{ '>=': 'gte', '>': 'gt', '<=': 'lte', '<': 'lt', from: 'gte', to: 'lte', min: 'gte', max: 'lte' },
  ...{ includes: 'contains', one_of: 'in', any: 'in' },
}

/** The conditions of a filter object: field → value, or field → {gte, gt, lte, lt, contains, in}. */
export function conditionsOf(args: JsonObject): Condition[] {
  if (!isObject(args.filter)) return []
  return Object.entries(args.filter).flatMap(([field, given]): Condition[] => {
    const condition = Array.isArray(given) ? { in: given } : given
    if (field === '' || /[[\]]/.test(field)) throw refused(`"${field}" is not a field name.`)
    if (!isObject(condition)) return [{ field, operator: 'eq', value: scalar(field, condition) }]
    const bounds = Object.entries(condition)
    if (bounds.length === 0) throw refused(`The filter on ${field} has no operator.`)
    return bounds.flatMap(([name, value]) => {
      const operator = operatorNamed(name)
      if (!operator) throw refused(`${name} is not an operator; use ${WHERE_OPERATORS.join(', ')}.`)
      const values = operator === 'in' && Array.isArray(value) ? value : [value]
      if (values.length === 0) throw refused(`The filter on ${field} has an empty list.`)
      return values.map(each => ({ field, operator, value: scalar(field, each) }))
    })
  })
}

function operatorNamed(given: string): Condition['operator'] | undefined {
  const name = given.toLowerCase().replace(/^\$/, '')
  const same = Object.hasOwn(SAME_OPERATOR, name) ? SAME_OPERATOR[name] : undefined
  return WHERE_OPERATORS.find(known => known === name) ?? same
}

/** Refuses conditions if the server does not announce `where`: leaving them out would answer a different question. */
export function assertFilters(conditions: readonly Condition[], capabilities: ReadonlySet<string>): void {
  if (conditions.length > 0 && !capabilities.has('where'))
    throw refused('This resource server does not accept filters from apps. Repeat the call without filter.')
}

function scalar(field: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw refused(`The filter on ${field} needs a string, a number or a boolean.`)
}

function refused(message: string): CodedError {
  return new CodedError('invalid_request', message, { param: 'filter' })
}
