import type { Declaration } from '../../model/declaration/declaration.ts'
import { declareSource, recordStream } from '../declare.ts'
import * as f from '../fields.ts'

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
      text: f.MARKDOWN_TEXT,
      conversation_title: f.CONVERSATION,
      conversation_id: f.STRING,
      role: f.STRING,
      author: f.ACTOR,
      created_at: f.EVENT_TIME,
      time_from: { enum: ['message', 'neighbour', 'conversation', null], type: ['string', 'null'] },
      position: f.COUNT,
      is_shown: f.FLAG,
      branch: f.COUNT,
      parent_id: f.TEXT,
      is_hidden: f.FLAG,
      content_type: f.STRING,
      language: f.TEXT,
      recipient: f.TEXT,
      model: f.TEXT,
      links: f.TEXTS,
      attachments: f.files({
        file_id: f.TEXT,
        name: f.TEXT,
        mime_type: f.TEXT,
        size_bytes: f.SIZE,
        blob_id: f.STRING,
      }),
      attachment_count: f.COUNT,
      source_id: f.STRING,
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
      title: f.CONVERSATION,
      opening: f.MARKDOWN_TEXT,
      created_at: f.EVENT_TIME,
      updated_at: f.TIME,
      model: f.TEXT,
      custom_gpt: f.TEXT,
      message_count: f.COUNT,
      shown_count: f.COUNT,
      branch_count: f.COUNT,
      is_archived: f.FLAG,
      is_starred: f.FLAG,
      source_id: f.TEXT,
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
