import { isObject, type Json, type JsonObject } from '../json.ts'

/** Collects all problems of a JSON value, each with its location. */
export class Problems {
  readonly all: string[]
  readonly #place: string

  constructor(all: string[] = [], place = '') {
    this.all = all
    this.#place = place
  }

  add(problem: string): void {
    this.all.push(this.#place === '' ? problem : `${this.#place}: ${problem}`)
  }

  at(name: string): Problems {
    return new Problems(this.all, this.#place === '' ? name : `${this.#place}.${name}`)
  }

  /** Checks that every required member is present and that there are no unknown members. */
  members(object: JsonObject, required: readonly string[], optional: readonly string[] = []): void {
    for (const name of required) if (object[name] === undefined) this.add(`${name}: missing`)
    for (const name of Object.keys(object)) {
      if (!required.includes(name) && !optional.includes(name)) this.add(`${name}: not a known member`)
    }
  }

  text(name: string, value: Json | undefined, most: number): void {
    if (value === undefined) return
    const fits = typeof value === 'string' && value !== '' && value.length <= most
    if (!fits) this.add(`${name}: a text of 1 to ${most} characters`)
  }

  oneOf(name: string, value: Json | undefined, choices: readonly string[]): void {
    if (value !== undefined && !choices.includes(value as string))
      this.add(`${name}: one of ${choices.join(', ')}`)
  }

  in(name: string, value: Json | undefined, check: (at: Problems, object: JsonObject) => void): void {
    if (isObject(value)) check(this.at(name), value)
    else if (value !== undefined) this.add(`${name}: not an object`)
  }

  /** Checks a list of objects, each with a unique name. */
  each(
    name: string,
    value: Json | undefined,
    key: string,
    check: (at: Problems, object: JsonObject) => void,
  ): void {
    if (value === undefined) return
    if (!Array.isArray(value)) {
      this.add(`${name}: not a list`)
      return
    }
    const names = new Set<string>()
    for (const [index, item] of value.entries()) {
      const label = isObject(item) ? item[key] : undefined
      if (!isObject(item) || typeof label !== 'string' || label === '') {
        this.add(`${name}[${index}]: an object with ${key}, a text`)
        continue
      }
      const at = this.at(`${name}.${label.slice(0, 200)}`)
      if (names.has(label)) at.add('declared twice')
      names.add(label)
      check(at, item)
    }
  }

  /** Checks a list of distinct declared fields, each of which must pass the test. */
  fields(name: string, value: Json | undefined, declared: JsonObject, test?: FieldTest): void {
    if (value === undefined) return
    if (!Array.isArray(value)) {
      this.add(`${name}: not a list of fields`)
      return
    }
    if (new Set(value).size < value.length) this.add(`${name}: a field is listed twice`)
    for (const field of value) this.field(name, field, declared, test)
  }

  field(name: string, field: Json | undefined, declared: JsonObject, test?: FieldTest): void {
    if (typeof field !== 'string' || !Object.hasOwn(declared, field)) {
      this.add(`${name}: ${JSON.stringify(field)} is not a field of the schema`)
      return
    }
    const property = declared[field]
    const problem = isObject(property) ? test?.(property) : null
    if (problem) this.add(`${name}: ${field} is not ${problem}`)
  }
}

/** Says what the field should be; null if it passes. */
export type FieldTest = (property: JsonObject) => string | null
