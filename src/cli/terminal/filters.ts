import { UsageError } from './exit-errors.ts'

const CONDITION = /^([^<>=]+)(>=|<=|>|<|=)(.*)$/s
const OPERATORS = { '=': '', '>=': '[gte]', '<=': '[lte]', '>': '[gt]', '<': '[lt]' } as const

/** `from=ada`, `size>=10` as the parameters of a read. */
export function filterParameters(conditions: readonly string[] | undefined): Record<string, string[]> {
  const parameters: Record<string, string[]> = {}
  for (const condition of conditions ?? []) {
    const [, field = '', operator = '=', value = ''] = CONDITION.exec(condition) ?? []
    if (field === '')
      throw new UsageError(`"${condition}" is no filter.`, "--filter from=ada --filter 'size>=10'")
    const name = `filter[${field.trim()}]${OPERATORS[operator as keyof typeof OPERATORS]}`
    parameters[name] = [...(parameters[name] ?? []), value.trim()]
  }
  return parameters
}
