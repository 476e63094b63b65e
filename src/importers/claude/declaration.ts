import type { Declaration } from '../../model/declaration/declaration.ts'
import { declareSource, recordStream } from '../declare.ts'
import * as f from '../fields.ts'

export const CLAUDE: Declaration = declareSource('claude', 'Claude', [
  recordStream({
    name: 'claude_messages',
    display: {
      label: 'What you and Claude wrote',
      detail: 'Every message with its time and conversation, artifacts, attachments and tool calls.',
    },
    required: ['conversation_id', 'position'],
    properties: {
      text: f.MARKDOWN_TEXT,
      conversation_title: f.CONVERSATION,
      conversation_id: f.STRING,
      sender: f.ACTOR,
      created_at: f.EVENT_TIME,
      position: f.COUNT,
      is_shown: f.FLAG,
      parent_id: f.TEXT,
      thinking: f.MARKDOWN,
      artifacts: {
        type: 'array',
        items: {
          type: 'object',
          properties: { name: f.TEXT, title: f.TEXT, mime_type: f.TEXT, language: f.TEXT, text: f.TEXT },
        },
      },
      tool_calls: {
        type: 'array',
        items: { type: 'object', properties: { tool: f.TEXT, input: f.TEXT, result: f.TEXT } },
      },
      attachments: f.files({ name: f.TEXT, mime_type: f.TEXT, size_bytes: f.SIZE, text: f.TEXT }),
      attachment_count: f.COUNT,
      source_id: f.TEXT,
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
      title: f.CONVERSATION,
      summary: f.MARKDOWN_TEXT,
      opening: f.MARKDOWN,
      created_at: f.EVENT_TIME,
      updated_at: f.TIME,
      model: f.TEXT,
      message_count: f.COUNT,
      is_starred: f.FLAG,
      source_id: f.STRING,
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
      kind: f.oneOf('project', 'document'),
      title: f.TITLE,
      text: f.MARKDOWN_TEXT,
      instructions: f.MARKDOWN,
      project: f.PLACE,
      project_id: f.STRING,
      created_at: f.EVENT_TIME,
      updated_at: f.TIME,
      source_id: f.STRING,
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
      text: f.MARKDOWN_TEXT,
      project_id: f.TEXT,
      updated_at: f.EVENT_TIME,
    },
    time: 'updated_at',
    search: ['text'],
    ranges: ['updated_at'],
  }),
])
