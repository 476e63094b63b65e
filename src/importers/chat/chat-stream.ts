import type { Property, StreamDeclaration } from '../../model/declaration/declaration.ts'
import { ANY_RANGE, COUNT, TEXT, TEXTS, TIME } from '../field-types.ts'

/** The files of a message. */
export const ATTACHMENTS = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      name: TEXT,
      mime_type: TEXT,
      size_bytes: { type: ['integer', 'null'] },
      url: TEXT,
      text: TEXT,
      blob_id: { type: 'string' },
    },
  },
}

/** A stream of the messages of a messenger. All messengers have the same fields; `more` are those of one alone. */
export function chatStream(
  name: string,
  display: { label: string; detail: string },
  more: Record<string, Partial<Property>> = {},
): StreamDeclaration {
  return {
    name,
    semantics: 'mutable_state',
    display,
    schema: {
      type: 'object',
      required: ['id', 'chat_id'],
      properties: {
        id: { type: 'string' },
        text: { ...TEXT, contentMediaType: 'text/plain', x_pdpp_role: 'primary-text' },
        chat: { ...TEXT, x_pdpp_role: 'place' },
        chat_id: { type: 'string' },
        sender: { ...TEXT, x_pdpp_role: 'actor' },
        sender_id: TEXT,
        sent_at: { ...TIME, x_pdpp_role: 'event-time' },
        sent_at_local: TEXT,
        position: COUNT,
        kind: { type: 'string' },
        reply_to_id: TEXT,
        edited_at: TIME,
        links: TEXTS,
        reactions: {
          type: 'array',
          items: { type: 'object', properties: { name: { type: 'string' }, count: COUNT, users: TEXTS } },
        },
        attachments: { ...ATTACHMENTS, x_pdpp_role: 'attachment' },
        attachment_count: COUNT,
        source_id: TEXT,
        ...more,
      },
      x_pdpp_conversation: { key: 'chat_id', order: ['sent_at', 'position'] },
    },
    primary_key: ['id'],
    cursor_field: 'sent_at',
    consent_time_field: 'sent_at',
    selection: { fields: true, resources: true },
    views: [
      {
        id: 'traffic',
        label: 'Who wrote where and when; no text',
        fields: ['id', 'chat', 'chat_id', 'sender', 'sent_at', 'kind', 'attachment_count'],
      },
    ],
    query: {
      search: { lexical_fields: ['text', 'sender', 'chat', 'attachments'] },
      range_filters: { sent_at: ANY_RANGE, edited_at: ANY_RANGE },
      aggregations: {
        count: true,
        sum: ['attachment_count'],
        min: ['sent_at'],
        max: ['sent_at'],
        group_by: ['chat', 'chat_id', 'sender', 'kind'],
        group_by_time: ['sent_at'],
        count_distinct: ['chat_id', 'sender'],
      },
    },
  }
}
