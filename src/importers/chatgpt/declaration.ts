import type { Declaration } from '../../model/declaration/declaration.ts'
import {
  ACTOR,
  COUNT,
  EVENT_TIME,
  FLAG,
  files,
  MARKDOWN_TEXT,
  SIZE,
  TEXT,
  TEXTS,
  TIME,
} from '../field-types.ts'
import { declareSource } from '../own-source.ts'
import { recordStream } from '../record-stream.ts'

export const CHATGPT: Declaration = declareSource('chatgpt', 'ChatGPT', [
  recordStream({
    name: 'chatgpt_messages',
    display: {
      label: 'What you and ChatGPT wrote',
      detail:
        'Every message with its author, time, model and conversation, answers that were replaced included.',
    },
    required: ['conversation_id', 'role', 'is_shown', 'position'],
    properties: {
      text: MARKDOWN_TEXT,
      conversation_title: { ...TEXT, x_pdpp_role: ['primary-title', 'place'] },
      conversation_id: { type: 'string' },
      role: { type: 'string' },
      author: ACTOR,
      created_at: EVENT_TIME,
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
      attachments: files({
        file_id: TEXT,
        name: TEXT,
        mime_type: TEXT,
        size_bytes: SIZE,
        blob_id: { type: 'string' },
      }),
      attachment_count: COUNT,
      source_id: { type: 'string' },
    },
    conversation: { key: 'conversation_id', order: ['position'], shown_if: { is_shown: true } },
    own: { role: 'user' },
    time: 'created_at',
    views: [
      {
        id: 'outline',
        label: 'When you talked about what; no text',
        fields: ['id', 'conversation_title', 'conversation_id', 'role', 'created_at', 'position', 'model'],
      },
    ],
    search: ['text', 'conversation_title', 'attachments'],
    ranges: ['created_at', 'position'],
    aggregations: {
      max: ['created_at', 'position'],
      sum: ['attachment_count'],
      group_by: ['role', 'author', 'model', 'content_type', 'conversation_id', 'is_shown', 'is_hidden'],
      count_distinct: ['conversation_id', 'model'],
    },
  }),
  recordStream({
    name: 'chatgpt_conversations',
    display: {
      label: 'Your conversations with ChatGPT',
      detail: 'Title, times, model and how many messages there are; the messages are a stream of their own.',
    },
    properties: {
      title: { ...TEXT, x_pdpp_role: ['primary-title', 'place'] },
      opening: MARKDOWN_TEXT,
      created_at: EVENT_TIME,
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
    relationships: [
      {
        name: 'messages',
        stream: 'chatgpt_messages',
        foreign_key: 'conversation_id',
        cardinality: 'has_many',
      },
    ],
    time: 'created_at',
    views: [{ id: 'titles', label: 'Titles and times', fields: ['id', 'title', 'created_at', 'updated_at'] }],
    search: ['title'],
    ranges: ['created_at', 'updated_at', 'message_count'],
    aggregations: {
      sum: ['message_count'],
      max: ['updated_at', 'message_count'],
      group_by: ['model', 'custom_gpt', 'is_archived'],
      group_by_time: ['created_at', 'updated_at'],
    },
  }),
])
