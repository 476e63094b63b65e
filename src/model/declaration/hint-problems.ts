import { isObject, type Json, type JsonObject } from '../json.ts'
import type { FieldTest, Problems } from './problems.ts'

const MOST_AROUND_MINUTES = 7 * 24 * 60

/** Tests for the fields that can group records (a single value) and order them (a time). */
export interface FieldTests {
  isScalar: FieldTest
  isTime: FieldTest
}

/** Checks the hints in a schema: field roles, page starts, and which records form a conversation or are the owner's. */
export function checkHints(
  at: Problems,
  schema: JsonObject,
  properties: JsonObject,
  { isScalar, isTime }: FieldTests,
): void {
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
