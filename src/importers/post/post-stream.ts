import type { StreamDeclaration } from '../../model/declaration/declaration.ts'
import type { JsonObject } from '../../model/json.ts'
import { ATTACHMENTS } from '../chat/chat-stream.ts'
import { ANY_RANGE, TEXT, TEXTS, TIME } from '../field-types.ts'
import type { RecordEvent } from '../importer.ts'

/** A stream of what a person posted to a network. All networks have the same fields. */
export function postStream(name: string, display: { label: string; detail: string }): StreamDeclaration {
  return {
    name,
    semantics: 'mutable_state',
    display,
    schema: {
      type: 'object',
      required: ['id', 'kind'],
      properties: {
        id: { type: 'string' },
        title: { ...TEXT, x_pdpp_role: 'primary-title' },
        text: { ...TEXT, contentMediaType: 'text/plain', x_pdpp_role: 'primary-text' },
        author: { ...TEXT, x_pdpp_role: 'actor' },
        kind: { type: 'string' },
        posted_at: { ...TIME, x_pdpp_role: 'event-time' },
        reply_to: TEXT,
        mentions: { ...TEXTS, x_pdpp_role: 'participant' },
        hashtags: { ...TEXTS, x_pdpp_role: 'label' },
        links: TEXTS,
        url: TEXT,
        attachments: { ...ATTACHMENTS, x_pdpp_role: 'attachment' },
        source_id: TEXT,
      },
    },
    primary_key: ['id'],
    cursor_field: 'posted_at',
    consent_time_field: 'posted_at',
    selection: { fields: true, resources: true },
    views: [{ id: 'activity', label: 'When you posted; no text', fields: ['id', 'kind', 'posted_at'] }],
    query: {
      search: { lexical_fields: ['title', 'text', 'mentions', 'hashtags', 'attachments'] },
      range_filters: { posted_at: ANY_RANGE },
      aggregations: {
        count: true,
        min: ['posted_at'],
        max: ['posted_at'],
        group_by: ['kind', 'author'],
        group_by_time: ['posted_at'],
      },
    },
  }
}

export interface Post {
  id: string
  kind: string
  title?: string | null
  text: string | null
  author?: string | null
  posted_at: string | null
  reply_to?: string | null
  mentions?: string[]
  hashtags?: string[]
  links?: string[]
  url?: string | null
  attachments?: JsonObject[]
  source_id: string | null
}

export function postRecord(stream: string, post: Post, place: string): RecordEvent {
  const { title = null, author = null, reply_to = null, url = null } = post
  const { mentions = [], hashtags = [], links = [], attachments = [] } = post
  const data = { ...post, title, author, reply_to, url, mentions, hashtags, links, attachments }
  return { kind: 'record', stream, key: post.id, data, place }
}
