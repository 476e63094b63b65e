import { isObject, type Json } from '../json.ts'
import { conversationFields, conversationOf } from './conversation.ts'
import { type StreamDeclaration, timeField } from './declaration.ts'

/** What a schema can require of a value without looking into its texts. */
const SHALLOW =
  /^(?:type|required|title|description|\$comment|\$schema|\$id|deprecated|contentMediaType|x_.*)$/

/**
 * The fields whose texts, at any depth, can be taken out of a line before the whole line has arrived: the schema only
 * requires that each is a text, and none of them determines the id or the place of a record.
 */
export function cutFields(stream: StreamDeclaration): ReadonlySet<string> {
  const { schema, primary_key, cursor_field } = stream
  const { properties, ...around } = schema
  if (!isShallow(around)) return new Set()
  const conversation = conversationOf(stream)
  const deciding = new Set([
    ...primary_key,
    cursor_field,
    timeField(stream),
    ...(conversation ? conversationFields(conversation) : []),
  ])
  return new Set(
    Object.entries(properties)
      .filter(([field, property]) => !deciding.has(field) && isShallow(property as Json))
      .map(([field]) => field),
  )
}

/** Whether the schema accepts texts with any content. */
function isShallow(schema: Json): boolean {
  if (typeof schema === 'boolean') return true
  if (!isObject(schema)) return false
  return Object.entries(schema).every(([keyword, value]) => {
    if (keyword === 'items' || keyword === 'additionalProperties') return isShallow(value)
    if (keyword === 'properties') return isObject(value) && Object.values(value).every(isShallow)
    return SHALLOW.test(keyword)
  })
}
