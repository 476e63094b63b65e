import { type Catalog, grantsFieldThroughout, type Source } from '../../model/access/enforce.ts'
import { conversationFields, conversationOf } from '../../model/declaration/conversation.ts'
import type { ConversationDeclaration } from '../../model/declaration/declaration.ts'
import { CodedError } from '../../model/errors.ts'
import { type Json, sameJson } from '../../model/json.ts'

/** The conversation that a source declares, if it still does and all its fields may be seen in every record (RS-5). */
export function declaredConversation(catalog: Catalog, source: Source): ConversationDeclaration {
  const conversation = conversationOf(source.stream)
  const now = catalog.connections
    .find(({ connection_id }) => connection_id === source.connection_id)
    ?.declaration.streams.find(({ name }) => name === source.stream.name)
  const current = now && conversationOf(now)
  if (!conversation || !current || !sameJson(conversation as Json, current as Json))
    throw new CodedError('no_conversation', `The stream ${source.stream.name} declares no conversation.`)
  if (conversationFields(conversation).some(field => !grantsFieldThroughout(source, field)))
    throw new CodedError(
      'field_not_granted',
      'The grant does not open the fields that a conversation is made of.',
    )
  return conversation
}

/** The same, or null. */
export function openConversation(catalog: Catalog, source: Source): ConversationDeclaration | null {
  try {
    return declaredConversation(catalog, source)
  } catch (error) {
    if (error instanceof CodedError) return null
    throw error
  }
}
