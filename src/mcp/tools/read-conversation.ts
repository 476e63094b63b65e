import { readConversation as route } from '../../api/conversation.ts'
import { namedBy } from '../../model/ids/citation.ts'
import type { JsonObject } from '../../model/json.ts'
import { number, text } from '../arguments.ts'
import type { ConversationQuery } from '../reading/conversation.ts'
import { conversationAround } from '../rendering/conversation-text.ts'
import { CALL, each, exactly, FLAG, INTEGER, listOf, named, TEXT, TEXT_OR_NULL } from '../schemas.ts'
import type { Tool } from '../tool.ts'

const { before, after, limit_chars } = route.parameters

export const readConversation: Tool = {
  name: 'read_conversation',
  title: 'Read a conversation',
  description:
    'Read the messages around a record in order (mail thread, chat, AI conversation), each with id, time, author, url and text. Pass an id as shown. If it is not complete, continue with a cursor.',
  hint: 'mail thread, chat, conversation in order',
  input: {
    type: 'object',
    properties: {
      id: TEXT,
      before: before.schema,
      after: after.schema,
      cursor: TEXT,
      limit_chars: limit_chars.schema,
    },
    required: ['id'],
    additionalProperties: false,
  },
  output: exactly(
    {
      conversation: exactly(
        {
          ...each(named(TEXT), 'id', 'title', 'place'),
          complete: FLAG,
          ...each(named(TEXT_OR_NULL), 'previous_cursor', 'next_cursor'),
          left_out: INTEGER,
        },
        ['id', 'complete', 'previous_cursor', 'next_cursor'],
      ),
      messages: listOf(
        exactly(
          {
            id: TEXT,
            asked: FLAG,
            occurred_at: named(TEXT_OR_NULL),
            ...each(named(TEXT), 'author', 'url'),
            complete: FLAG,
            read: CALL,
            text: TEXT,
          },
          ['id', 'occurred_at', 'url', 'complete', 'text'],
        ),
      ),
    },
    ['conversation', 'messages'],
  ),
  aliases: { record_id: 'id', uri: 'id', url: 'id' },
  run: (args, client) =>
    conversationAround(
      client,
      namedBy(text(args, 'id') ?? '', undefined, client.provider.url),
      queryOf(args),
    ),
}

function queryOf(args: JsonObject): ConversationQuery {
  return {
    before: number(args, 'before'),
    after: number(args, 'after'),
    cursor: text(args, 'cursor'),
    limit_chars: number(args, 'limit_chars'),
  }
}
