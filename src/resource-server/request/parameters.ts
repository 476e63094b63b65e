import { CodedError } from '../../model/errors.ts'
import { type Condition, parseFilterParam } from '../../model/reading/filter.ts'

const REPEATABLE = new Set(['streams'])

/** The query parameters of a request; anything that the route does not know is refused. */
export class Parameters {
  readonly #values: Map<string, string>
  readonly #repeated: Map<string, string[]>
  readonly conditions: readonly Condition[]

  constructor(query: URLSearchParams, allowed: readonly string[]) {
    const values = new Map<string, string>()
    const repeated = new Map<string, string[]>()
    const conditions: Condition[] = []
    for (const [name, value] of query) {
      if (value.includes('\0')) throw invalid(`${name} holds U+0000, which no value has.`, name)
      const condition = allowed.includes('filter') ? parseFilterParam(name, value) : null
      if (condition) conditions.push(condition)
      else if (!allowed.includes(name) || name === 'filter') throw unknown(name, allowed)
      else if (REPEATABLE.has(name)) repeated.set(name, [...(repeated.get(name) ?? []), value])
      else if (values.has(name)) throw invalid(`${name} is given more than once.`, name)
      else values.set(name, value)
    }
    this.#values = values
    this.#repeated = repeated
    this.conditions = conditions
  }

  text(name: string): string | undefined {
    return this.#values.get(name)
  }

  /** Every value of a parameter that may be repeated. */
  all(name: string): string[] | undefined {
    return this.#repeated.get(name)
  }

  required(name: string): string {
    const value = this.#values.get(name)
    if (value === undefined || value === '') throw invalid(`${name} is missing.`, name)
    return value
  }

  integer(name: string): number | undefined {
    const value = this.#values.get(name)
    if (value === undefined) return undefined
    if (!/^-?\d{1,15}$/.test(value)) throw invalid(`${name} is a whole number.`, name)
    return Number(value)
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.#values.get(name)
    if (value === undefined) return undefined
    if (!choices.includes(value as Choice)) throw invalid(`${name} is one of ${choices.join(', ')}.`, name)
    return value as Choice
  }

  /** A comma-separated list of names. */
  names(name: string): string[] | undefined {
    const value = this.#values.get(name)
    if (value === undefined) return undefined
    const names = value.split(',')
    if (names.some(item => item === ''))
      throw invalid(`${name} is a list of names with commas between.`, name)
    return [...new Set(names)]
  }

  /** `limit` within bounds; what is too much is clamped, with a warning. */
  limit(fallback: number, max: number): { limit: number; warnings: Warning[] } {
    const asked = this.integer('limit')
    if (asked === undefined) return { limit: fallback, warnings: [] }
    if (asked < 1) throw invalid(`limit is a whole number from 1 to ${max}.`, 'limit')
    if (asked <= max) return { limit: asked, warnings: [] }
    const message = `limit was lowered to ${max}, the most a page holds.`
    return { limit: max, warnings: [{ code: 'limit_clamped', message, param: 'limit' }] }
  }
}

export interface Warning {
  code: string
  message: string
  param?: string
  detail?: unknown
}

function unknown(name: string, allowed: readonly string[]): CodedError {
  const known = allowed.map(item => (item === 'filter' ? 'filter[field]' : item)).join(', ')
  const hint = known === '' ? 'This route takes none.' : `This route takes: ${known}.`
  return invalid(`There is no parameter ${name}. ${hint}`, name)
}

export function invalid(message: string, param: string): CodedError {
  return new CodedError('invalid_request', message, { param })
}
