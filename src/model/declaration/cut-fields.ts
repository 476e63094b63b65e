import { conversationFields, conversationOf } from './conversation.ts'
import { type StreamDeclaration, timeField, typesOf } from './declaration.ts'

/** What a schema may say of a text without looking into it, and of the object that the texts are in. */
const OF_A_TEXT = /^(?:type|title|description|\$comment|deprecated|contentMediaType|x_.*)$/
const OF_AN_OBJECT =
  /^(?:type|properties|required|additionalProperties|title|description|\$comment|\$schema|\$id|x_.*)$/

/**
 * The fields whose texts can be taken out of a line before it is whole: the schema asks only whether each is a text, and
 * none of them decides the id or the place of a record.
 */
export function cutFields(stream: StreamDeclaration): ReadonlySet<string> {
  const { schema, primary_key, cursor_field } = stream
  if (!Object.keys(schema).every(keyword => OF_AN_OBJECT.test(keyword))) return new Set()
  const conversation = conversationOf(stream)
  const deciding = new Set([
    ...primary_key,
    cursor_field,
    timeField(stream),
    ...(conversation ? conversationFields(conversation) : []),
  ])
  return new Set(
    Object.entries(schema.properties)
      .filter(([field, property]) => !deciding.has(field) && typesOf(property).includes('string'))
      .filter(([, property]) => Object.keys(property).every(keyword => OF_A_TEXT.test(keyword)))
      .map(([field]) => field),
  )
}
