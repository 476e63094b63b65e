import type { Declaration } from '../../model/declaration.ts'

const TEXT = { type: ['string', 'null'] }
const TEXTS = { type: 'array', items: { type: 'string' } }
const TIME = { type: ['string', 'null'], format: 'date-time' }
const FLAG = { type: 'boolean' }
const COUNT = { type: 'integer' }

export const SLACK: Declaration = {
  protocol_version: '0.1.0',
  connector_key: 'slack',
  version: '1.0.0',
  display_name: 'Slack',
  streams: [
    {
      name: 'messages',
      semantics: 'mutable_state',
      display: {
        label: 'Your Slack messages',
        detail: 'Who wrote what where and when, with threads, reactions and the names of files.',
      },
      schema: {
        type: 'object',
        required: ['id', 'sent_at', 'channel'],
        properties: {
          id: { type: 'string' },
          text: { ...TEXT, contentMediaType: 'text/plain', x_pdpp_role: 'primary-text' },
          channel: { type: 'string', x_pdpp_role: 'primary-title' },
          channel_id: TEXT,
          channel_kind: { enum: ['public', 'private', 'direct', 'group', 'unknown'], type: 'string' },
          sender: { ...TEXT, x_pdpp_role: 'actor' },
          sender_id: TEXT,
          is_bot: FLAG,
          sent_at: { type: 'string', format: 'date-time', x_pdpp_role: 'event-time' },
          sent_at_local: TIME,
          thread_id: TEXT,
          is_thread_root: FLAG,
          reply_count: COUNT,
          kind: { type: 'string' },
          edited_at: TIME,
          edited_by: TEXT,
          is_deleted: FLAG,
          quoted: TEXTS,
          links: TEXTS,
          mentions: TEXTS,
          reactions: {
            type: 'array',
            items: { type: 'object', properties: { name: { type: 'string' }, count: COUNT, users: TEXTS } },
          },
          reaction_count: COUNT,
          files: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                file_id: TEXT,
                name: TEXT,
                title: TEXT,
                mime_type: TEXT,
                size_bytes: { type: ['integer', 'null'] },
                url: TEXT,
                text: TEXT,
                blob_id: { type: 'string' },
              },
            },
          },
          source_id: { type: 'string' },
        },
      },
      primary_key: ['id'],
      cursor_field: 'sent_at',
      consent_time_field: 'sent_at',
      selection: { fields: true, resources: true },
      views: [
        {
          id: 'traffic',
          label: 'Who wrote where and when; no text',
          fields: [
            'id',
            'channel',
            'sender',
            'sent_at',
            'thread_id',
            'is_thread_root',
            'reply_count',
            'kind',
          ],
        },
      ],
      query: {
        search: { lexical_fields: ['text', 'sender', 'channel', 'quoted', 'files'] },
        range_filters: {
          sent_at: ['gte', 'gt', 'lte', 'lt'],
          edited_at: ['gte', 'gt', 'lte', 'lt'],
          reply_count: ['gte', 'gt', 'lte', 'lt'],
          reaction_count: ['gte', 'gt', 'lte', 'lt'],
        },
        aggregations: {
          count: true,
          sum: ['reply_count', 'reaction_count'],
          min: ['sent_at'],
          max: ['sent_at', 'reply_count', 'reaction_count'],
          group_by: ['channel', 'channel_kind', 'sender', 'thread_id', 'kind', 'is_bot'],
          group_by_time: ['sent_at'],
          count_distinct: ['channel', 'sender', 'thread_id'],
        },
      },
    },
    {
      name: 'channels',
      semantics: 'mutable_state',
      display: { label: 'Your Slack channels', detail: 'Names, topics, purposes and members.' },
      schema: {
        type: 'object',
        required: ['id', 'name'],
        properties: {
          id: { type: 'string' },
          name: { type: 'string', x_pdpp_role: 'primary-title' },
          kind: { enum: ['public', 'private', 'direct', 'group', 'unknown'], type: 'string' },
          topic: TEXT,
          purpose: { ...TEXT, contentMediaType: 'text/plain', x_pdpp_role: 'primary-text' },
          creator: { ...TEXT, x_pdpp_role: 'actor' },
          created_at: { ...TIME, x_pdpp_role: 'event-time' },
          members: TEXTS,
          member_count: COUNT,
          is_archived: FLAG,
          source_id: { type: 'string' },
        },
      },
      primary_key: ['id'],
      cursor_field: 'created_at',
      consent_time_field: 'created_at',
      selection: { fields: true, resources: true },
      query: {
        search: { lexical_fields: ['name', 'topic', 'purpose', 'members'] },
        range_filters: {
          created_at: ['gte', 'gt', 'lte', 'lt'],
          member_count: ['gte', 'gt', 'lte', 'lt'],
        },
        aggregations: { count: true, group_by: ['kind', 'is_archived'], group_by_time: ['created_at'] },
      },
    },
    {
      name: 'users',
      semantics: 'mutable_state',
      display: {
        label: 'People of your Slack workspace',
        detail: 'Names, titles, addresses and time zones.',
      },
      schema: {
        type: 'object',
        required: ['id', 'name'],
        properties: {
          id: { type: 'string' },
          name: { type: 'string', x_pdpp_role: 'primary-title' },
          handle: TEXT,
          real_name: TEXT,
          title: TEXT,
          email: TEXT,
          phone: TEXT,
          time_zone: TEXT,
          is_bot: FLAG,
          is_admin: FLAG,
          is_deleted: FLAG,
          updated_at: { ...TIME, x_pdpp_role: 'event-time' },
          source_id: { type: 'string' },
        },
      },
      primary_key: ['id'],
      cursor_field: 'updated_at',
      selection: { fields: true, resources: true },
      views: [
        { id: 'names', label: 'Names only', fields: ['id', 'name', 'handle', 'real_name', 'source_id'] },
      ],
      query: {
        search: { lexical_fields: ['name', 'handle', 'real_name', 'title', 'email'] },
        aggregations: { count: true, group_by: ['is_bot', 'is_deleted', 'time_zone'] },
      },
    },
  ],
}
