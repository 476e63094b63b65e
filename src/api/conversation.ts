import * as p from './parameter.ts'
import { readRoute } from './route.ts'
import type { Typed } from './schema.ts'
import * as s from './schema.ts'

/** The most messages before and after the record. */
export const MOST_MESSAGES = 100
export const CONVERSATION_CHARS = { usual: 12_000, most: 16_384 }

const MESSAGE = s.named(
  'ConversationMessage',
  {
    ...s.each(s.TEXT, 'record_key', 'url', 'text'),
    ...s.each(s.orNull(s.TEXT), 'occurred_at', 'author', 'field_path'),
    complete: s.FLAG,
    size_chars: s.COUNT,
  },
  { asked: s.constant(true) },
)
export type ConversationMessage = Typed<typeof MESSAGE>

export const readConversation = readRoute('GET', '/v1/streams/:stream/records/:record_id/conversation', {
  summary: 'The conversation around a record, in order',
  parameters: {
    connection_id: p.text(),
    before: p.unbound(p.integer({ max: MOST_MESSAGES })),
    after: p.unbound(p.integer({ max: MOST_MESSAGES })),
    cursor: p.unbound(p.text()),
    limit_chars: p.unbound(
      p.withDefault(p.integer({ min: 1, max: CONVERSATION_CHARS.most }), CONVERSATION_CHARS.usual),
    ),
  },
  reply: s.object({
    object: s.constant('conversation'),
    ...s.each(s.TEXT, 'connection_id', 'stream'),
    conversation: s.object({
      ...s.each(s.orNull(s.TEXT), 'title', 'place', 'previous_cursor', 'next_cursor'),
      complete: s.FLAG,
      left_out: s.COUNT,
    }),
    messages: s.listOf(MESSAGE),
  }),
})
