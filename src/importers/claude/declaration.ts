import type { Declaration } from '../../model/declaration/declaration.ts'
import { ANY_RANGE, COUNT, FLAG, TEXT, TIME } from '../field-types.ts'
import { declareSource } from '../own-source.ts'

export const CLAUDE: Declaration = declareSource('claude', 'Claude', [
  {
    name: 'claude_messages',
    semantics: 'mutable_state',
    display: {
      label: 'What you and Claude wrote',
      detail: 'Every message with its time and conversation, artifacts, attachments and tool calls.',
    },
    schema: {
      type: 'object',
      required: ['id', 'conversation_id', 'position'],
      properties: {
        id: { type: 'string' },
        text: { ...TEXT, contentMediaType: 'text/markdown', x_pdpp_role: 'primary-text' },
        conversation_title: { ...TEXT, x_pdpp_role: ['primary-title', 'place'] },
        conversation_id: { type: 'string' },
        sender: { ...TEXT, x_pdpp_role: 'actor' },
        created_at: { ...TIME, x_pdpp_role: 'event-time' },
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
        attachments: {
          x_pdpp_role: 'attachment',
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: TEXT,
              mime_type: TEXT,
              size_bytes: { type: ['integer', 'null'] },
              text: TEXT,
            },
          },
        },
        attachment_count: COUNT,
        source_id: TEXT,
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
        fields: ['id', 'conversation_title', 'conversation_id', 'sender', 'created_at', 'position'],
      },
    ],
    query: {
      search: {
        lexical_fields: ['text', 'conversation_title', 'artifacts', 'attachments', 'thinking', 'tool_calls'],
      },
      range_filters: { created_at: ANY_RANGE, position: ANY_RANGE },
      aggregations: {
        count: true,
        min: ['created_at'],
        max: ['created_at', 'position'],
        sum: ['attachment_count'],
        group_by: ['sender', 'conversation_id', 'is_shown'],
        group_by_time: ['created_at'],
        count_distinct: ['conversation_id'],
      },
    },
  },
  {
    name: 'claude_conversations',
    semantics: 'mutable_state',
    display: {
      label: 'Your conversations with Claude',
      detail:
        'Title, summary, times and how many messages there are; the messages are a stream of their own.',
    },
    schema: {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'string' },
        title: { ...TEXT, x_pdpp_role: ['primary-title', 'place'] },
        summary: { ...TEXT, contentMediaType: 'text/markdown', x_pdpp_role: 'primary-text' },
        opening: { ...TEXT, contentMediaType: 'text/markdown' },
        created_at: { ...TIME, x_pdpp_role: 'event-time' },
        updated_at: TIME,
        model: TEXT,
        message_count: COUNT,
        is_starred: FLAG,
        source_id: { type: 'string' },
      },
    },
    primary_key: ['id'],
    cursor_field: 'created_at',
    consent_time_field: 'created_at',
    selection: { fields: true, resources: true },
    views: [{ id: 'titles', label: 'Titles and times', fields: ['id', 'title', 'created_at', 'updated_at'] }],
    query: {
      search: { lexical_fields: ['title', 'summary'] },
      range_filters: { created_at: ANY_RANGE, updated_at: ANY_RANGE, message_count: ANY_RANGE },
      aggregations: {
        count: true,
        sum: ['message_count'],
        min: ['created_at'],
        max: ['updated_at', 'message_count'],
        group_by: ['model', 'is_starred'],
        group_by_time: ['created_at', 'updated_at'],
      },
    },
  },
  {
    name: 'claude_projects',
    semantics: 'mutable_state',
    display: {
      label: 'Your projects in Claude',
      detail: 'Projects with their instructions, and the documents that belong to them.',
    },
    schema: {
      type: 'object',
      required: ['id', 'kind'],
      properties: {
        id: { type: 'string' },
        kind: { enum: ['project', 'document'], type: 'string' },
        title: { ...TEXT, x_pdpp_role: 'primary-title' },
        text: { ...TEXT, contentMediaType: 'text/markdown', x_pdpp_role: 'primary-text' },
        instructions: { ...TEXT, contentMediaType: 'text/markdown' },
        project: { ...TEXT, x_pdpp_role: 'place' },
        project_id: { type: 'string' },
        created_at: { ...TIME, x_pdpp_role: 'event-time' },
        updated_at: TIME,
        source_id: { type: 'string' },
      },
    },
    primary_key: ['id'],
    cursor_field: 'created_at',
    consent_time_field: 'created_at',
    selection: { fields: true, resources: true },
    views: [
      { id: 'titles', label: 'Titles and times', fields: ['id', 'kind', 'title', 'project', 'created_at'] },
    ],
    query: {
      search: { lexical_fields: ['title', 'text', 'instructions', 'project'] },
      range_filters: { created_at: ANY_RANGE, updated_at: ANY_RANGE },
      aggregations: { count: true, group_by: ['kind', 'project'], group_by_time: ['created_at'] },
    },
  },
])
