import type { Declaration } from '../../model/declaration/declaration.ts'
import { ANY_RANGE, COUNT, FLAG, TEXT, TEXTS, TIME } from '../field-types.ts'
import { declareSource } from '../own-source.ts'

export const CHATGPT: Declaration = declareSource('chatgpt', 'ChatGPT', [
  {
    name: 'chatgpt_messages',
    semantics: 'mutable_state',
    display: {
      label: 'What you and ChatGPT wrote',
      detail:
        'Every message with its author, time, model and conversation, answers that were replaced included.',
    },
    schema: {
      type: 'object',
      required: ['id', 'conversation_id', 'role', 'is_shown', 'position'],
      properties: {
        id: { type: 'string' },
        text: { ...TEXT, contentMediaType: 'text/markdown', x_pdpp_role: 'primary-text' },
        conversation_title: { ...TEXT, x_pdpp_role: ['primary-title', 'place'] },
        conversation_id: { type: 'string' },
        role: { type: 'string' },
        author: { ...TEXT, x_pdpp_role: 'actor' },
        created_at: { ...TIME, x_pdpp_role: 'event-time' },
        time_from: { enum: ['message', 'neighbour', 'conversation', null], type: ['string', 'null'] },
        position: COUNT,
        is_shown: FLAG,
        branch: COUNT,
        parent_id: TEXT,
        is_hidden: FLAG,
        content_type: { type: 'string' },
        language: TEXT,
        recipient: TEXT,
        model: TEXT,
        links: TEXTS,
        attachments: {
          type: 'array',
          x_pdpp_role: 'attachment',
          items: {
            type: 'object',
            properties: {
              file_id: TEXT,
              name: TEXT,
              mime_type: TEXT,
              size_bytes: { type: ['integer', 'null'] },
              blob_id: { type: 'string' },
            },
          },
        },
        attachment_count: COUNT,
        source_id: { type: 'string' },
      },
      x_pdpp_conversation: { key: 'conversation_id', order: ['position'], shown_if: { is_shown: true } },
    },
    primary_key: ['id'],
    cursor_field: 'created_at',
    consent_time_field: 'created_at',
    selection: { fields: true, resources: true },
    views: [
      {
        id: 'outline',
        label: 'When you talked about what; no text',
        fields: ['id', 'conversation_title', 'conversation_id', 'role', 'created_at', 'position', 'model'],
      },
    ],
    query: {
      search: { lexical_fields: ['text', 'conversation_title', 'attachments'] },
      range_filters: {
        created_at: ANY_RANGE,
        position: ANY_RANGE,
      },
      aggregations: {
        count: true,
        min: ['created_at'],
        max: ['created_at', 'position'],
        sum: ['attachment_count'],
        group_by: ['role', 'author', 'model', 'content_type', 'conversation_id', 'is_shown', 'is_hidden'],
        group_by_time: ['created_at'],
        count_distinct: ['conversation_id', 'model'],
      },
    },
  },
  {
    name: 'chatgpt_conversations',
    semantics: 'mutable_state',
    display: {
      label: 'Your conversations with ChatGPT',
      detail: 'Title, times, model and how many messages there are; the messages are a stream of their own.',
    },
    schema: {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'string' },
        title: { ...TEXT, x_pdpp_role: ['primary-title', 'place'] },
        opening: { ...TEXT, contentMediaType: 'text/markdown', x_pdpp_role: 'primary-text' },
        created_at: { ...TIME, x_pdpp_role: 'event-time' },
        updated_at: TIME,
        model: TEXT,
        custom_gpt: TEXT,
        message_count: COUNT,
        shown_count: COUNT,
        branch_count: COUNT,
        is_archived: FLAG,
        is_starred: FLAG,
        source_id: TEXT,
      },
    },
    primary_key: ['id'],
    cursor_field: 'created_at',
    consent_time_field: 'created_at',
    selection: { fields: true, resources: true },
    views: [{ id: 'titles', label: 'Titles and times', fields: ['id', 'title', 'created_at', 'updated_at'] }],
    query: {
      search: { lexical_fields: ['title'] },
      range_filters: {
        created_at: ANY_RANGE,
        updated_at: ANY_RANGE,
        message_count: ANY_RANGE,
      },
      aggregations: {
        count: true,
        sum: ['message_count'],
        min: ['created_at'],
        max: ['updated_at', 'message_count'],
        group_by: ['model', 'custom_gpt', 'is_archived'],
        group_by_time: ['created_at', 'updated_at'],
      },
    },
  },
])
