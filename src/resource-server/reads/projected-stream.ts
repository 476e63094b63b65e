import { conversationFields, conversationOf } from '../../model/declaration/conversation.ts'
import type { StreamDeclaration } from '../../model/declaration/declaration.ts'

/** A stream's declaration, as if it had only these fields. */
export function projectedStream(stream: StreamDeclaration, fields: readonly string[]): StreamDeclaration {
  const only = (names: readonly string[] | undefined) => (names ?? []).filter(name => fields.includes(name))
  const named = <T>(object: Readonly<Record<string, T>> | undefined) =>
    Object.fromEntries(Object.entries(object ?? {}).filter(([name]) => fields.includes(name)))
  const { query = {}, schema, cursor_field, consent_time_field, ...rest } = stream
  const aggregations = Object.entries(query.aggregations ?? {}).map(([kind, names]) => [
    kind,
    Array.isArray(names) ? only(names) : names,
  ])
  const conversation = conversationOf(stream)
  const isConversation =
    conversation !== undefined && conversationFields(conversation).every(field => fields.includes(field))
  const own = schema.x_pdpp_own
  const isOwn = own !== undefined && Object.keys(own).every(field => fields.includes(field))
  const granted = (field: string | undefined) => field !== undefined && fields.includes(field)
  return {
    ...rest,
    schema: {
      type: 'object',
      required: only(schema.required),
      properties: named(schema.properties),
      ...(isConversation ? { x_pdpp_conversation: conversation } : {}),
      ...(isOwn ? { x_pdpp_own: own } : {}),
    } as StreamDeclaration['schema'],
    primary_key: only(stream.primary_key),
    ...(granted(cursor_field) ? { cursor_field: cursor_field as string } : {}),
    ...(granted(consent_time_field) ? { consent_time_field: consent_time_field as string } : {}),
    views: (stream.views ?? []).filter(view => view.fields.every(field => fields.includes(field))),
    query: {
      search: { lexical_fields: only(query.search?.lexical_fields) },
      range_filters: named(query.range_filters),
      aggregations: Object.fromEntries(aggregations),
    },
  }
}
