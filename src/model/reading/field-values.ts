import { fieldNames, propertyOf, rolesOf, type StreamDeclaration } from '../declaration/declaration.ts'
import { isObject, isRawNumber, type Json, type JsonObject, own } from '../json.ts'
import { keyOf } from '../text/words.ts'
import type { CompiledCondition } from './filter.ts'
import { describesPerson } from './people.ts'
import { cutText, type LongText } from './record.ts'
import { itemPasses, itemsOf, type RoleCondition } from './role-test.ts'

/** A field of a record and its value as text; what was cut ends with `…`. */
export interface FieldValue {
  field: string
  text: string
}

const MOST_VALUES = 6
const MOST_VALUES_OF_PERSON = 8
const VALUE_CHARS = 60
/** Of the beginning of a longer value, which comes after all short ones. */
const BEGINNING_CHARS = 120
/** Of a list of a contact: if it is asked for, and otherwise, so that others are visible too. */
const ASKED_LIST_CHARS = 90
const LIST_CHARS = 45
const INSTANT = /^\d{4}-\d\d-\d\dT/

/**
 * The first short values of a record without a text, such as a row of a table, which say what it is about, and those of a
 * contact, whose note says less.
 * What the title contains, times, ids, counts of 0 and the long values of a contact are left out, and of other long values
 * the beginning comes last; a list tells its first item, and that of a contact as many as fit, with their labels: a person
 * has several numbers.
 */
export function firstValues(
  stream: StreamDeclaration,
  data: JsonObject,
  long_texts: readonly LongText[],
  title: string | null,
  /** The keys of the words of a query: fields that are named like one of them come first. */
  asked: ReadonlySet<string> = new Set(),
): FieldValue[] {
  const isPerson = describesPerson(stream)
  if (
    !isPerson &&
    (long_texts.length > 0 || fieldNames(stream).some(name => isText(stream, name) && data[name]))
  )
    return []
  const heading = title?.toLowerCase() ?? ''
  // Whoever looks a person up mostly wants to reach them, whatever word they use for the telephone.
  const weightOf = ([field, value]: [string, Json]) =>
    asked.has(keyOf(field)) ? 2 : isPerson && isLabelled(value) ? 1 : 0
  const isId = (field: string) => stream.primary_key.includes(field) || /(?:^|_)id$/.test(field)
  const isShort = ({ text }: FieldValue) => text.length <= (isPerson ? ASKED_LIST_CHARS : VALUE_CHARS)
  const values = Object.entries(data)
    .filter(([field, value]) => !isId(field) && !isText(stream, field) && !isEmptyCount(field, value))
    .sort((one, other) => weightOf(other) - weightOf(one))
    .flatMap(([field, value]) => {
      const text =
        isPerson && Array.isArray(value)
          ? listText(value, asked.has(keyOf(field)) ? ASKED_LIST_CHARS : LIST_CHARS)
          : plainTexts(value)[0]
      return text === undefined ? [] : [{ field, text }]
    })
    .filter(({ text }) => !INSTANT.test(text) && !heading.includes(text.toLowerCase()))
  const beginnings = isPerson
    ? []
    : values
        .filter(value => !isShort(value))
        .map(({ field, text }) => ({ field, text: cutText(text, BEGINNING_CHARS) }))
  return [...values.filter(isShort), ...beginnings].slice(0, isPerson ? MOST_VALUES_OF_PERSON : MOST_VALUES)
}

function isText(stream: StreamDeclaration, field: string): boolean {
  const property = propertyOf(stream, field)
  return property?.contentMediaType !== undefined || rolesOf(property).includes('primary-text')
}

/** A list of numbers or addresses, each with a label. */
function isLabelled(value: Json): boolean {
  return Array.isArray(value) && value.some(item => isObject(item) && 'label' in item)
}

function isEmptyCount(field: string, value: Json | undefined): boolean {
  return /_count$/.test(field) && (value === 0 || (isRawNumber(value) && Number(value.rawJSON) === 0))
}

/** As many items as fit, at least the first, each with its label. */
function listText(items: readonly Json[], most: number): string | undefined {
  const texts = items.flatMap(item => {
    const label = isObject(item) && typeof item.label === 'string' ? item.label.trim() : ''
    return plainTexts(item).map(text => (label === '' ? text : `${text} (${label})`))
  })
  const fitting = texts.filter((_, i) => i === 0 || texts.slice(0, i + 1).join(', ').length <= most)
  if (fitting.length === 0) return undefined
  return [...fitting, ...(fitting.length < texts.length ? ['…'] : [])].join(', ')
}

/** At most one text: that of a text or number, of the first item of a list, or of the value of a labelled one. */
function plainTexts(value: Json | undefined): string[] {
  if (Array.isArray(value)) return plainTexts(value[0])
  if (isRawNumber(value)) return [value.rawJSON]
  if (typeof value === 'number') return [String(value)]
  if (typeof value === 'string') return value.trim() === '' ? [] : [value]
  return isObject(value) && typeof value.value === 'string' ? plainTexts(value.value) : []
}

const MOST_FILES = 3

/**
 * The names of the files in visible data that `type` found or, without it, that `has` found. A name that several fields
 * contain is told once; a file without a name tells its media type.
 */
export function foundFiles(conditions: readonly CompiledCondition[], data: JsonObject): FieldValue[] {
  const ofFiles = conditions.filter((each): each is RoleCondition => 'test' in each && each.test !== 'words')
  const types = ofFiles.filter(({ test }) => test === 'type')
  const found = (types.length > 0 ? types : ofFiles).flatMap(condition =>
    condition.fields.flatMap(field =>
      itemsOf(own(data, field))
        .filter(item => itemPasses(condition, item))
        .flatMap(item => nameOf(item).map(text => ({ field, text }))),
    ),
  )
  return [...Map.groupBy(found, ({ text }) => text).values()]
    .flatMap(([first = []]) => first)
    .slice(0, MOST_FILES)
}

function nameOf(item: Json): string[] {
  const texts = isObject(item) ? [item.name, item.mime_type] : [item]
  return texts
    .filter(text => typeof text === 'string')
    .filter(text => text.trim() !== '')
    .slice(0, 1)
}
