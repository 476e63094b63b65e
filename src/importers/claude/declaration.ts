import type { Declaration } from '../../model/declaration/declaration.ts'
import {
  ACTOR,
  COUNT,
  declareSource,
  EVENT_TIME,
  FLAG,
  files,
  MARKDOWN_TEXT,
  PLACE,
  recordStream,
  SIZE,
  TEXT,
  TIME,
  TITLE,
} from '../declare.ts'

export const CLAUDE: Declaration = declareSource('claude', 'Claude', [
  recordStream({
    name: 'claude_messages',
    display: {
      label: 'What you and Claude wrote',
      detail: 'Every message with its time and conversation, artifacts, attachments and tool calls.',
    },
    required: ['conversation_id', 'position'],
    properties: {
      text: MARKDOWN_TEXT,
      conversation_title: { ...TEXT, x_pdpp_role: ['primary-title', 'place'] },
      conversation_id: { type: 'string' },
      sender: ACTOR,
      created_at: EVENT_TIME,
      position: COUNT,
      is_shown: FLAG,
      parent_id: TEXT,
      thinking: { ...TEXT, contentMediaType: 'text/markdown' },
      artifacts: {
        type: 'array',
        items: {
          type: 'object',
          properties: { name: TEXT, title: TEXT, mime_type: TEXT, language: TEXT, text: TEXT },
        },
      },
      tool_calls: {
        type: 'array',
        items: { type: 'object', properties: { tool: TEXT, input: TEXT, result: TEXT } },
      },
      attachments: files({ name: TEXT, mime_type: TEXT, size_bytes: SIZE, text: TEXT }),
      attachment_count: COUNT,
      source_id: TEXT,
    },
    conversation: { key: 'conversation_id', order: ['position'], shown_if: { is_shown: true } },
    own: { sender: 'human' },
    time: 'created_at',
    views: [
      {
        id: 'outline',
        label: 'When you talked about what; no text',
        fields: ['id', 'conversation_title', 'conversation_id', 'sender', 'created_at', 'position'],
      },
    ],
    search: ['text', 'conversation_title', 'artifacts', 'attachments', 'thinking', 'tool_calls'],
    ranges: ['created_at', 'position'],
    aggregations: {
      max: ['created_at', 'position'],
      sum: ['attachment_count'],
      group_by: ['sender', 'conversation_id', 'is_shown'],
      count_distinct: ['conversation_id'],
    },
  }),
  recordStream({
    name: 'claude_conversations',
    display: {
      label: 'Your conversations with Claude',
      detail:
        'Title, summary, times and how many messages there are; the messages are a stream of their own.',
    },
    properties: {
      title: { ...TEXT, x_pdpp_role: ['primary-title', 'place'] },
      summary: MARKDOWN_TEXT,
      opening: { ...TEXT, contentMediaType: 'text/markdown' },
      created_at: EVENT_TIME,
      updated_at: TIME,
      model: TEXT,
      message_count: COUNT,
      is_starred: FLAG,
      source_id: { type: 'string' },
    },
    relationships: [
      {
        name: 'messages',
        stream: 'claude_messages',
        foreign_key: 'conversation_id',
        cardinality: 'has_many',
      },
    ],
    time: 'created_at',
    views: [{ id: 'titles', label: 'Titles and times', fields: ['id', 'title', 'created_at', 'updated_at'] }],
    search: ['title', 'summary'],
    ranges: ['created_at', 'updated_at', 'message_count'],
    aggregations: {
      sum: ['message_count'],
      max: ['updated_at', 'message_count'],
      group_by: ['model', 'is_starred'],
      group_by_time: ['created_at', 'updated_at'],
    },
  }),
  recordStream({
    name: 'claude_projects',
    display: {
      label: 'Your projects in Claude',
      detail: 'Projects with their instructions, and the documents that belong to them.',
    },
    required: ['kind'],
    properties: {
      kind: { enum: ['project', 'document'], type: 'string' },
      title: TITLE,
      text: MARKDOWN_TEXT,
      instructions: { ...TEXT, contentMediaType: 'text/markdown' },
      project: PLACE,
      project_id: { type: 'string' },
      created_at: EVENT_TIME,
      updated_at: TIME,
      source_id: { type: 'string' },
    },
    time: 'created_at',
    views: [
      { id: 'titles', label: 'Titles and times', fields: ['id', 'kind', 'title', 'project', 'created_at'] },
    ],
    search: ['title', 'text', 'instructions', 'project'],
    ranges: ['created_at', 'updated_at'],
    aggregations: { group_by: ['kind', 'project'] },
  }),
  recordStream({
    name: 'claude_memories',
    display: {
      label: 'What Claude remembers about you',
      detail: 'The summary that Claude keeps of all conversations, and one for each project.',
    },
    properties: {
      text: MARKDOWN_TEXT,
      project_id: TEXT,
      updated_at: EVENT_TIME,
    },
    time: 'updated_at',
    search: ['text'],
    ranges: ['updated_at'],
  }),
])
