import { isObject, type Json, type JsonObject } from '../json.ts'
import { CARDINALITIES, type Property, RANGE_OPERATORS, SEMANTICS, typesOf } from './declaration.ts'
import type { FieldTest, Problems } from './problems.ts'
import { schemaProblem } from './schema.ts'

const MEMBERS = ['name', 'semantics', 'schema', 'primary_key', 'selection']
const MORE_MEMBERS = [
  'description',
  'display',
  'cursor_field',
  'consent_time_field',
  'views',
  'relationships',
  'query',
]

/** Checks one stream. `streams` are all streams of the declaration, by name. */
export function checkStream(
  at: Problems,
  stream: JsonObject,
  streams: ReadonlyMap<unknown, JsonObject>,
): void {
  at.members(stream, MEMBERS, MORE_MEMBERS)
  if (!isStreamName(stream.name as string))
    at.add(
      'name: 1 to 128 characters without "/", "\\", ":", "..", spaces or control characters, and not "*"',
    )
  at.text('description', stream.description, 2_000)
  at.in('display', stream.display, (display, object) => {
    display.members(object, [], ['label', 'detail'])
    display.text('label', object.label, 200)
    display.text('detail', object.detail, 2_000)
  })
  at.oneOf('semantics', stream.semantics, SEMANTICS)
  at.in('selection', stream.selection, (selection, object) => {
    selection.members(object, ['fields', 'resources'])
    for (const [name, value] of Object.entries(object))
      if (typeof value !== 'boolean') selection.add(`${name}: true or false`)
  })
  const { schema } = stream
  if (!isObject(schema) || schema.type !== 'object' || !isObject(schema.properties)) {
    at.add('schema: a JSON Schema with type "object" and properties')
    return
  }
  const problem = schemaProblem(schema)
  if (problem) at.add(`schema: ${problem}`)
  checkFields(at, stream, schema.properties)
  checkHints(at, schema, schema.properties)
  checkRelationships(at, stream, streams)
  at.in('query', stream.query, (query, object) =>
    checkQuery(query, object, stream, schema.properties as JsonObject),
  )
}

function checkFields(at: Problems, stream: JsonObject, properties: JsonObject): void {
  for (const [name, property] of Object.entries(properties))
    if (!isObject(property)) at.add(`schema.properties.${name}: not an object`)
  if (!Array.isArray(stream.primary_key) || stream.primary_key.length === 0)
    at.add('primary_key: a list of at least one field')
  else at.fields('primary_key', stream.primary_key, properties)
  if (stream.cursor_field !== undefined) at.field('cursor_field', stream.cursor_field, properties, isScalar)
  if (stream.consent_time_field !== undefined)
    at.field('consent_time_field', stream.consent_time_field, properties, mayBeTime)
  at.each('views', stream.views, 'id', (view, object) => {
    view.members(object, ['id', 'label', 'fields'])
    view.text('label', object.label, 200)
    if (Array.isArray(object.fields) && object.fields.length === 0) view.add('fields: at least one')
    view.fields('fields', object.fields, properties)
  })
}

function checkRelationships(
  at: Problems,
  stream: JsonObject,
  streams: ReadonlyMap<unknown, JsonObject>,
): void {
  at.each('relationships', stream.relationships, 'name', (relationship, object) => {
    relationship.members(object, ['name', 'stream', 'foreign_key', 'cardinality'])
    relationship.oneOf('cardinality', object.cardinality, CARDINALITIES)
    const related = streams.get(object.stream)
    if (!related) {
      relationship.add('stream: not a declared stream')
      return
    }
    const declares = [related, stream].some(
      ({ schema }) =>
        isObject(schema) &&
        isObject(schema.properties) &&
        Object.hasOwn(schema.properties, String(object.foreign_key)),
    )
    if (!declares) relationship.add('foreign_key: not a field of either stream')
  })
}

const FIELD_LISTS: Readonly<Record<string, FieldTest | undefined>> = {
  sum: isNumber,
  min: isOrdered,
  max: isOrdered,
  group_by: undefined,
  group_by_time: isTime,
  count_distinct: undefined,
}

function checkQuery(at: Problems, query: JsonObject, stream: JsonObject, properties: JsonObject): void {
  at.members(query, [], ['search', 'range_filters', 'expand', 'aggregations'])
  at.in('search', query.search, (search, object) => {
    search.members(object, [], ['lexical_fields', 'semantic_fields'])
    search.fields('lexical_fields', object.lexical_fields, properties, mayHoldText)
    search.fields('semantic_fields', object.semantic_fields, properties, mayHoldText)
  })
  at.in('range_filters', query.range_filters, (ranges, object) => {
    for (const [field, operators] of Object.entries(object)) {
      ranges.field(field, field, properties, isOrdered)
      const known = Array.isArray(operators) && operators.every(op => RANGE_OPERATORS.includes(op as never))
      if (!known) ranges.add(`${field}: a list of ${RANGE_OPERATORS.join(', ')}`)
    }
  })
  checkExpand(at, query.expand, stream.relationships)
  at.in('aggregations', query.aggregations, (aggregations, object) => {
    aggregations.members(object, [], ['count', ...Object.keys(FIELD_LISTS)])
    if (object.count !== undefined && object.count !== true) aggregations.add('count: must be true or absent')
    for (const [name, test] of Object.entries(FIELD_LISTS))
      aggregations.fields(name, object[name], properties, test)
  })
}

function checkExpand(at: Problems, expand: Json | undefined, relationships: Json | undefined): void {
  at.each('expand', expand, 'name', (entry, object) => {
    entry.members(object, ['name'], ['default_limit', 'max_limit'])
    const known = Array.isArray(relationships) ? relationships : []
    const relationship = known.find(each => isObject(each) && each.name === object.name)
    if (!isObject(relationship)) {
      entry.add('not a declared relationship')
      return
    }
    const { default_limit = null, max_limit = null } = object
    const limits = [default_limit, max_limit].filter(limit => limit !== null)
    if (limits.some(limit => !Number.isInteger(limit) || (limit as number) < 1)) {
      entry.add('default_limit and max_limit: whole numbers from 1')
      return
    }
    if (limits.length > 0 && relationship.cardinality === 'has_one')
      entry.add('a has_one relationship has no limits')
    if (limits.length === 2 && (default_limit as number) > (max_limit as number))
      entry.add('default_limit: greater than max_limit')
  })
}

/** The types of a field other than null; empty if the schema does not say. */
function typesIn(property: JsonObject): string[] {
  return typesOf(property as Partial<Property>).filter(type => type !== 'null')
}

function are(property: JsonObject, types: readonly string[]): boolean {
  const found = typesIn(property)
  return found.length > 0 && found.every(type => types.includes(type))
}

function isScalar(property: JsonObject): string | null {
  return typesIn(property).some(type => type === 'object' || type === 'array') ? 'a single value' : null
}

function isNumber(property: JsonObject): string | null {
  return are(property, ['number', 'integer']) ? null : 'a number'
}

function isTime(property: JsonObject): string | null {
  const isDate = are(property, ['string']) && ['date', 'date-time'].includes(String(property.format))
  return isDate ? null : 'a date or a date-time'
}

/** A consent time is read as a time even when its schema names no format. */
function mayBeTime(property: JsonObject): string | null {
  const fits =
    are(property, ['string']) &&
    [undefined, 'date', 'date-time'].includes(property.format as string | undefined)
  return fits ? null : 'a string with the format date-time or date, if any'
}

function isOrdered(property: JsonObject): string | null {
  return isNumber(property) === null || isTime(property) === null ? null : 'a number, a date or a date-time'
}

/** Texts inside lists and objects can be searched too. */
function mayHoldText(property: JsonObject): string | null {
  const types = typesIn(property)
  const can = types.length === 0 || types.some(type => ['string', 'array', 'object'].includes(type))
  return can ? null : 'a text, nor can it hold one'
}

/**
 * A stream's name is part of ids, URLs and lines of text, so its rules are stricter than those for a record id (ID-1,
 * ID-2).
 */
function isStreamName(name: string): boolean {
  return name.length <= 128 && name !== '.' && name !== '*' && !/[/\\:]|\.\.|\s|\p{C}/u.test(name)
}

const MOST_AROUND_MINUTES = 7 * 24 * 60

/** Checks the hints in a schema: field roles, page starts, and which records form a conversation or are the owner's. */
function checkHints(at: Problems, schema: JsonObject, properties: JsonObject): void {
  for (const [name, property] of Object.entries(properties)) {
    const role = isObject(property) ? property.x_pdpp_role : undefined
    const known = role === undefined || [role].flat().every(each => typeof each === 'string')
    if (!known) at.add(`schema.properties.${name}.x_pdpp_role: a text or a list of texts`)
    const pages = isObject(property) ? property.x_pdpp_pages : undefined
    if (pages !== undefined && !(typeof pages === 'string' && Object.hasOwn(properties, pages)))
      at.add(`schema.properties.${name}.x_pdpp_pages: the name of a field`)
  }
  const place = 'schema.x_pdpp_conversation'
  at.in(place, schema.x_pdpp_conversation, (conversation, object) => {
    conversation.members(object, ['key', 'order'], ['around', 'shown_if'])
    if (object.key !== undefined) conversation.field('key', object.key, properties, isScalar)
    if (Array.isArray(object.order) && object.order.length === 0) conversation.add('order: at least one')
    conversation.fields('order', object.order, properties, isScalar)
    conversation.in('around', object.around, (around, members) => {
      around.members(members, ['place', 'minutes'])
      if (members.place !== undefined) around.field('place', members.place, properties, isScalar)
      if (members.minutes !== undefined && !isMinutes(members.minutes))
        around.add(`minutes: a whole number from 1 to ${MOST_AROUND_MINUTES}`)
      const first = Array.isArray(object.order) ? object.order[0] : undefined
      if (first !== undefined) around.field('the first field of order', first, properties, isTime)
    })
    conversation.in('shown_if', object.shown_if, (shown, values) => {
      for (const [field, value] of Object.entries(values)) {
        shown.field(field, field, properties, isScalar)
        if (!isSingle(value)) shown.add(`${field}: a single value`)
      }
    })
  })
  at.in('schema.x_pdpp_own', schema.x_pdpp_own, (own, values) => {
    for (const [field, value] of Object.entries(values)) {
      own.field(field, field, properties, isScalar)
      const given = [value].flat()
      const known = given.length > 0 && given.every(each => isSingle(each) && each !== null)
      if (!known) own.add(`${field}: a single value or a list of them`)
    }
  })
}

function isSingle(value: Json): boolean {
  return typeof value !== 'object' || value === null
}

function isMinutes(value: Json): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_AROUND_MINUTES
}
