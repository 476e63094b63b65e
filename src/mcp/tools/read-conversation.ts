import { CONVERSATION_CHARS, MOST_MESSAGES } from '../../api/conversation.ts'
import { namedBy } from '../../model/ids/citation.ts'
import type { JsonObject } from '../../model/json.ts'
import { number, text } from '../arguments.ts'
import type { ConversationQuery } from '../reading/conversation.ts'
import { conversationAround } from '../rendering/conversation-text.ts'
import {
  CALL,
  each,
  exactly,
  FLAG,
  INTEGER,
  listOf,
  named,
  TEXT,
  TEXT_OR_NULL,
  unlisted,
} from '../schemas.ts'
import type { Tool } from '../tool.ts'

const { usual, most } = CONVERSATION_CHARS
const AROUND = { type: 'integer', minimum: 0 } as const

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
      before: AROUND,
      after: AROUND,
      cursor: TEXT,
      limit_chars: { type: 'integer', minimum: 1, default: usual, description: `at most ${most}` },
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
          note: unlisted(TEXT),
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
  aliases: {
    record_id: 'id',
    conversation_id: 'id',
    thread_id: 'id',
    message_id: 'id',
    uri: 'id',
    url: 'id',
  },
  run: (args, client) =>
    conversationAround(
      client,
      namedBy(text(args, 'id') ?? '', undefined, client.provider.url),
      queryOf(args),
    ),
}

/** More than the most is lowered to it: the answer has cursors to the rest. */
function queryOf(args: JsonObject): ConversationQuery {
  return {
    before: atMost(args, 'before', MOST_MESSAGES),
    after: atMost(args, 'after', MOST_MESSAGES),
    cursor: text(args, 'cursor'),
    limit_chars: atMost(args, 'limit_chars', most),
  }
}

function atMost(args: JsonObject, name: string, most: number): number | undefined {
  const given = number(args, name)
  return given === undefined ? undefined : Math.min(given, most)
}
