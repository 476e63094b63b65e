import type { OwnDeclaration, Property, StreamDeclaration } from '../../model/declaration/declaration.ts'
import {
  ACTOR,
  ATTACHMENTS,
  COUNT,
  EVENT_TIME,
  PLACE,
  PLAIN_TEXT,
  REACTIONS,
  TEXT,
  TEXTS,
  TIME,
} from '../field-types.ts'
import { recordStream } from '../record-stream.ts'

/**
 * A stream of the messages of a messenger. All messengers share the same fields; `more` adds those of one messenger.
 * `own` marks what the owner wrote, for those that say so.
 */
export function chatStream(
  name: string,
  display: { label: string; detail: string },
  more: Record<string, Partial<Property>> = {},
  own?: OwnDeclaration,
): StreamDeclaration {
  return recordStream({
    name,
    display,
    required: ['chat_id'],
    properties: {
      text: PLAIN_TEXT,
      chat: PLACE,
      chat_id: { type: 'string' },
      sender: ACTOR,
      sender_id: TEXT,
      sent_at: EVENT_TIME,
      sent_at_local: TEXT,
      position: COUNT,
      kind: { type: 'string' },
      reply_to_id: TEXT,
      edited_at: TIME,
      links: TEXTS,
      reactions: REACTIONS,
      attachments: ATTACHMENTS,
      attachment_count: COUNT,
      source_id: TEXT,
      ...more,
    },
    conversation: { key: 'chat_id', order: ['sent_at', 'position'] },
    ...(own ? { own } : {}),
    time: 'sent_at',
    views: [
      {
        id: 'traffic',
        label: 'Who wrote where and when; no text',
        fields: ['id', 'chat', 'chat_id', 'sender', 'sent_at', 'kind', 'attachment_count'],
      },
    ],
    search: ['text', 'sender', 'chat', 'attachments'],
    ranges: ['sent_at', 'edited_at'],
    aggregations: {
      sum: ['attachment_count'],
      group_by: ['chat', 'chat_id', 'sender', 'kind'],
      count_distinct: ['chat_id', 'sender'],
    },
  })
}
