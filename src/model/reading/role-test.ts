import { isObject, type Json, type JsonObject, own } from '../json.ts'
import { isUnspaced } from '../text/analyzer.ts'
import { fold } from '../text/fold.ts'
import { keyboardSpellings } from '../text/further-keys.ts'

/** An operator compiled for one source: the granted fields that it examines. */
export interface RoleCondition {
  fields: string[]
  test: 'words' | 'present' | 'type'
  /** The texts of which a value must contain one: each as its words, each word in all its spellings. */
  anyOf: SpelledWords[]
}

/** The words of a text, each in all its spellings. */
export type SpelledWords = readonly (readonly string[])[]

/** Whether visible data passes: a single value in one of the fields must pass by itself. */
export function passesRole(condition: RoleCondition, data: JsonObject): boolean {
  return condition.fields.some(field => {
    return itemsOf(own(data, field)).some(item => itemPasses(condition, item))
  })
}

export function itemPasses({ test, anyOf }: RoleCondition, item: Json): boolean {
  if (test === 'present') return true
  if (test === 'words') return holdsOne(textOf(item), anyOf)
  return anyOf.some(words => isOfType(item, words[0]?.[0] ?? ''))
}

/** The values of a field: the items of a list, or the value itself; none if the field is missing. */
export function itemsOf(value: Json | undefined): Json[] {
  const items = Array.isArray(value) ? value : [value]
  return items.filter(
    (item): item is Json =>
      item !== undefined &&
      item !== null &&
      item !== '' &&
      !(isObject(item) && Object.keys(item).length === 0),
  )
}

/** The text of a value; for an object, all its texts. */
export function textOf(item: Json): string {
  if (typeof item === 'string') return item
  return isObject(item)
    ? Object.values(item)
        .filter(each => typeof each === 'string')
        .join(' ')
    : ''
}

/** The words of a text after folding case and accents. */
export function wordsOf(text: string): string[] {
  return fold(text).match(WORD) ?? []
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu

/** The words of a text, each in all its spellings: folded first, then as it is typed without its special letters. */
export function spelledWords(text: string): string[][] {
  const words = text.normalize('NFC').toLowerCase().match(WORD) ?? []
  return words.flatMap(word => {
    const folded = fold(word)
    return folded === '' ? [] : [[folded, ...keyboardSpellings(word, folded)]]
  })
}

function holdsOne(text: string, anyOf: readonly SpelledWords[]): boolean {
  if (text === '') return false
  const own = new Set(spelledWords(text).flat())
  // Scripts without spaces do not separate a name from the text around it.
  const holds = (word: string) => own.has(word) || (isUnspaced(word) && fold(text).includes(word))
  return anyOf.some(words => words.every(spellings => spellings.some(holds)))
}

/**
 * `pdf` matches the second part of `application/pdf` and the extension of `plan.pdf`; `image` matches every kind of
 * picture.
 */
function isOfType(item: Json, type: string): boolean {
  const texts = typeof item === 'string' ? [item] : isObject(item) ? Object.values(item) : []
  return texts.some(text => {
    if (typeof text !== 'string') return false
    const folded = fold(text)
    if (folded.endsWith(`.${type}`)) return true
    const [, top = '', sub = ''] = /^([a-z]+)\/([a-z0-9.+-]+)/.exec(folded) ?? []
    return top === type || sub === type || `${top}/${sub}` === type || sub.split(/[.+-]/).includes(type)
  })
}
