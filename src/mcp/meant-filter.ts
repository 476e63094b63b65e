import { isObject, type Json, type JsonObject } from '../model/json.ts'

/** What models call the parts of a condition that they write as an object of its own. */
const FIELD = ['field', 'column', 'key', 'name', 'property']
const OPERATOR = ['operator', 'op', 'comparison', 'condition']
const VALUE = ['value', 'values']

/** A filter that was sent as a list of conditions, `[{field, op, value}]`, as field → {operator: value}. */
export function meantFilter(given: Json): Json {
  if (!Array.isArray(given) || given.length === 0) return given
  const filter: Record<string, JsonObject> = {}
  for (const each of given) {
    const condition = isObject(each) ? each : {}
    const [field, operator = 'eq', value] = [FIELD, OPERATOR, VALUE].map(names =>
      names.map(name => condition[name]).find(part => part !== undefined),
    )
    if (typeof field !== 'string' || typeof operator !== 'string' || value === undefined) return given
    const known = filter[field] ?? {}
    // One would hide the other.
    if (Object.hasOwn(known, operator)) return given
    filter[field] = { ...known, [operator]: value }
  }
  return filter
}

/** The value that a condition on an operator of a query asks for; undefined if it asks for something else. */
export function plainCondition(condition: Json | undefined): Json | undefined {
  if (!isObject(condition)) return condition
  const [name, ...others] = Object.keys(condition)
  const isPlain = others.length === 0 && ['contains', 'eq', 'equals', 'like', 'in'].includes(name ?? '')
  return isPlain ? Object.values(condition)[0] : undefined
}
