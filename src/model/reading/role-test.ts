import { isObject, type Json, type JsonObject } from '../json.ts'
import { isUnspaced } from '../text/analyzer.ts'
import { fold } from '../text/fold.ts'

/** An operator made ready for one source: the granted fields that it looks at. */
export interface RoleCondition {
  fields: string[]
  test: 'words' | 'present' | 'type'
  words: string[]
}

/** Whether visible data passes: one value of one of the fields must do so on its own. */
export function passesRole({ fields, test, words }: RoleCondition, data: JsonObject): boolean {
  return fields.some(field => {
    const value = Object.hasOwn(data, field) ? data[field] : undefined
    return itemsOf(value).some(item => {
      if (test === 'present') return true
      return test === 'type' ? isOfType(item, words[0] ?? '') : holdsWords(textOf(item), words)
    })
  })
}

/** The values of a field: those of a list, or the field's own; nothing where there is none. */
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

/** The words of a value; those of an object are the words of its texts. */
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
  return fold(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
}

function holdsWords(text: string, words: readonly string[]): boolean {
  if (text === '') return false
  const own = new Set(wordsOf(text))
  // Scripts without spaces do not separate a name from the rest.
  return words.every(word => own.has(word) || (isUnspaced(word) && fold(text).includes(word)))
}

/** `pdf` is a part of `application/pdf` and the ending of `plan.pdf`; `image` is every kind of picture. */
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
