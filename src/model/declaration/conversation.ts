import type { ConversationDeclaration, StreamDeclaration } from './declaration.ts'

export function conversationOf(stream: StreamDeclaration): ConversationDeclaration | undefined {
  return stream.schema.x_pdpp_conversation
}

/** Every field that a conversation is made of. Whoever reads one must be able to see all of them. */
export function conversationFields({ key, order, around, shown_if }: ConversationDeclaration): string[] {
  return [...new Set([key, ...order, ...(around ? [around.place] : []), ...Object.keys(shown_if ?? {})])]
}
