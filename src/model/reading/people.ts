import { grantsField, type Source } from '../access/enforce.ts'
import {
  fieldsWithRole,
  fieldWithRole,
  formatOf,
  type StreamDeclaration,
} from '../declaration/declaration.ts'
import { orderKey } from '../declaration/keys.ts'
import { type JsonObject, own } from '../json.ts'
import type { FieldCondition } from './filter.ts'
import { itemsOf, textOf, wordsOf } from './role-test.ts'

/** The roles of fields that name people. */
export const PEOPLE = ['actor', 'recipient', 'participant'] as const

/** Must be raised when names are stored in another form. Which letters fold depends on the version of Unicode. */
export const NAMES_VERSION = `2/${process.versions.unicode}`

/** A longer text is found by its words, but is not treated as a person's name. */
export const LONGEST_NAME = 500

/** A text that names somebody, in a field of a record. */
export interface Named {
  field: string
  text: string
}

/** The same address means the same person everywhere; a name without an address is only equal to itself. */
export function personOf(text: string): string {
  const address = /(?<![^\s<>"'(),;:])[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/.exec(text)?.[0]
  return (address ?? text).trim().toLowerCase()
}

/** Turns `Tilda Brennick <tilda@example.org>` into Tilda Brennick. */
export function nameOf(text: string): string {
  const name = text.replace(/<[^<>\s@]*@[^<>\s]*>/g, '').replace(/^["'\s]+|(?<!["'\s])["'\s]+$/g, '')
  return name === '' ? text.trim() : name
}

export function peopleFields(stream: StreamDeclaration): string[] {
  return fieldsWithRole(stream, PEOPLE)
}

/** Whether each record describes a person, such as a contact: its title is their name. */
export function describesPerson(stream: StreamDeclaration): boolean {
  const titled = fieldWithRole(stream, 'primary-title')
  return titled !== undefined && fieldsWithRole(stream, ['participant']).includes(titled)
}

/** Every distinct text in the fields that names someone. */
export function namedIn(data: JsonObject, fields: readonly string[]): Named[] {
  const found: Named[] = []
  for (const field of fields) {
    const value = own(data, field)
    const texts = typeof value === 'string' ? [value] : new Set(itemsOf(value).map(textOf))
    for (const text of texts) if (hasWords(text)) found.push({ field, text })
  }
  return found
}

/** Quick check for ASCII, whose letters are still letters after folding. */
function hasWords(text: string): boolean {
  return /[a-z0-9]/i.test(text) || wordsOf(text).length > 0
}

/** Whether a name means the owner, whatever records call the owner. */
export function namesOwner(name: string): boolean {
  return /^(?:me|myself|i|(?:the )?owner)$/i.test(name.trim())
}

const MOST_OWN_NAMES = 20
export const NOT_OWN_NAMES = `must be at most ${MOST_OWN_NAMES} names or addresses, separated by commas.`

/** The names in a comma-separated list that the owner wrote; null if it is not such a list. */
export function ownNamesIn(list: string): string[] | null {
  const names = list.split(',').flatMap(name => name.trim() || [])
  const isName = (name: string) => name.length <= LONGEST_NAME && wordsOf(name).length > 0
  return names.length <= MOST_OWN_NAMES && names.every(isName) ? names : null
}

/** Whether a stream says which of its records the owner wrote. */
export function declaresOwn({ schema }: StreamDeclaration): boolean {
  return schema.x_pdpp_own !== undefined
}

/** What records that the owner wrote must pass; null if the source does not say it, or not in granted fields. */
export function ownConditions(source: Source): FieldCondition[] | null {
  const { stream } = source
  const own = stream.schema.x_pdpp_own
  if (own === undefined || !Object.keys(own).every(field => grantsField(source, field))) return null
  return Object.entries(own).map(([field, value]) => {
    const format = formatOf(stream, field)
    const keys = [value].flat().flatMap(each => orderKey(each, format) ?? [])
    return { field, operator: 'in', keys, format }
  })
}
