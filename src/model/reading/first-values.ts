import { fieldNames, propertyOf, rolesOf, type StreamDeclaration } from '../declaration/declaration.ts'
import { isObject, isRawNumber, type Json, type JsonObject } from '../json.ts'
import type { LongText } from './record.ts'

/** A field of a record and its value as text, whole. */
export interface FieldValue {
  field: string
  text: string
}

const MOST_VALUES = 6
const VALUE_CHARS = 60
const INSTANT = /^\d{4}-\d\d-\d\dT/

/**
 * The first short values of a record without a text, such as a contact or a row of a table, which say what it is about.
 * What the title contains, times, ids and long values are left out; a list tells its first item.
 */
export function firstValues(
  stream: StreamDeclaration,
  data: JsonObject,
  long_texts: readonly LongText[],
  title: string | null,
): FieldValue[] {
  if (long_texts.length > 0 || fieldNames(stream).some(name => isText(stream, name) && data[name])) return []
  const heading = title?.toLowerCase() ?? ''
  const isId = (field: string) => stream.primary_key.includes(field) || /(?:^|_)id$/.test(field)
  return Object.entries(data)
    .filter(([field]) => !isId(field))
    .flatMap(([field, value]) => plainTexts(value).map(text => ({ field, text })))
    .filter(
      ({ text }) =>
        text.length <= VALUE_CHARS && !INSTANT.test(text) && !heading.includes(text.toLowerCase()),
    )
    .slice(0, MOST_VALUES)
}

function isText(stream: StreamDeclaration, field: string): boolean {
  const property = propertyOf(stream, field)
  return property?.contentMediaType !== undefined || rolesOf(property).includes('primary-text')
}

/** At most one text: that of a text or number, of the first item of a list, or of the value of a labelled one. */
function plainTexts(value: Json | undefined): string[] {
  if (Array.isArray(value)) return plainTexts(value[0])
  if (isRawNumber(value)) return [value.rawJSON]
  if (typeof value === 'number') return [String(value)]
  if (typeof value === 'string') return value.trim() === '' ? [] : [value]
  return isObject(value) && typeof value.value === 'string' ? plainTexts(value.value) : []
}
