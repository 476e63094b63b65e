import { fieldsWithRole, type StreamDeclaration } from '../declaration/declaration.ts'
import type { JsonObject } from '../json.ts'
import { itemsOf, textOf, wordsOf } from './role-test.ts'

/** The roles of fields that name people. */
export const PEOPLE = ['actor', 'recipient', 'participant'] as const

/** Must be raised when names are written in another form. Which letters fold away is a matter of Unicode. */
export const NAMES_VERSION = `1/${process.versions.unicode}`

/** A text that names somebody, in a field of a record. */
export interface Named {
  field: string
  text: string
}

/** An address is the same person wherever it occurs; a name without one is the same as itself alone. */
export function personOf(text: string): string {
  const address = /[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/.exec(text)?.[0]
  return (address ?? text).trim().toLowerCase()
}

/** `Tilda Brennick <tilda@example.org>` as Tilda Brennick. */
export function nameOf(text: string): string {
  const name = text.replace(/<[^<>\s]*@[^<>\s]*>/g, '').replace(/^["'\s]+|["'\s]+$/g, '')
  return name === '' ? text.trim() : name
}

export function peopleFields(stream: StreamDeclaration): string[] {
  return fieldsWithRole(stream, PEOPLE)
}

/** Every different text of the fields that names somebody. */
export function namedIn(data: JsonObject, fields: readonly string[]): Named[] {
  const found: Named[] = []
  for (const field of fields) {
    const value = Object.hasOwn(data, field) ? data[field] : undefined
    const texts = typeof value === 'string' ? [value] : new Set(itemsOf(value).map(textOf))
    for (const text of texts) if (hasWords(text)) found.push({ field, text })
  }
  return found
}

/** What is a letter in ASCII stays one when it is folded. */
function hasWords(text: string): boolean {
  return /[a-z0-9]/i.test(text) || wordsOf(text).length > 0
}
