import type { Condition } from '../../model/reading/filter.ts'
import { UsageError } from './exit-errors.ts'

const CONDITION = /^([^<>=~]+)(>=|<=|>|<|=|~)(.*)$/s
const OPERATORS: Record<string, Condition['operator']> = {
  '>=': 'gte',
  '<=': 'lte',
  '>': 'gt',
  '<': 'lt',
  '~': 'contains',
}

/** Parses `from=ada`, `size>=10`, `subject~rain` into the conditions of a read. */
export function filterConditions(texts: readonly string[] = []): Condition[] {
  return texts.map(text => {
    const [, field, operator = '', value = ''] = CONDITION.exec(text) ?? []
    if (field === undefined)
      throw new UsageError(`"${text}" is not a filter.`, "--filter from=ada --filter 'size>=10'")
    return { field: field.trim(), operator: OPERATORS[operator] ?? 'eq', value: value.trim() }
  })
}
