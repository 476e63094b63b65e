import { CONVERSATION_CHARS } from '../../api/conversation.ts'
import { CodedError } from '../../model/errors.ts'
import type { RecordReference } from '../../model/ids/handle.ts'
import { type ConversationQuery, readAround } from '../reading/conversation.ts'
import type { ResourceServerClient } from '../reading/resource-server-client.ts'
import { bytesOf } from '../text/quote.ts'
import type { ToolAnswer } from '../tool.ts'
import { conversationContent, conversationText } from './conversation-text.ts'
import { MOST_STRUCTURED_BYTES } from './fitting-page.ts'

/**
 * A window that is small enough for hosts: one with too many bytes is requested again with fewer characters, so that
 * its cursors continue at its ends.
 */
export async function conversationAround(
  client: ResourceServerClient,
  record: RecordReference,
  query: ConversationQuery = {},
): Promise<ToolAnswer> {
  let limit = Number(query.limit_chars ?? CONVERSATION_CHARS.usual)
  const most = Math.max(CONVERSATION_CHARS.usual, limit)
  for (;;) {
    const conversation = await readAround(client, record, { ...query, limit_chars: limit })
    const structured = conversationContent(conversation)
    const shown = conversationText(conversation)
    const excess = Math.max(
      bytesOf(shown) / most,
      bytesOf(JSON.stringify(structured)) / MOST_STRUCTURED_BYTES,
    )
    if (excess <= 1) return { text: shown, structured }
    if (limit <= 1)
      throw new CodedError(
        'provider_answer_too_large',
        'The message alone is too large to be shown in its conversation. Open it with fetch.',
      )
    limit = Math.max(1, Math.min(limit - 1, Math.floor(limit / excess)))
  }
}
