import type { StreamDeclaration } from '../../model/declaration/declaration.ts'
import type { JsonObject } from '../../model/json.ts'
import { recordStream } from '../declare.ts'
import { record } from '../events.ts'
import * as f from '../fields.ts'
import type { RecordEvent } from '../importer.ts'

/** A stream of a person's posts on a network. All networks have the same fields. */
export function postStream(name: string, display: { label: string; detail: string }): StreamDeclaration {
  return recordStream({
    name,
    ...display,
    required: ['kind'],
    properties: {
      title: f.TITLE,
      text: f.PLAIN_TEXT,
      author: f.ACTOR,
      kind: f.STRING,
      posted_at: f.EVENT_TIME,
      reply_to: f.TEXT,
      mentions: f.PEOPLE,
      hashtags: f.LABELS,
      links: f.TEXTS,
      url: f.TEXT,
      attachments: f.ATTACHMENTS,
      source_id: f.TEXT,
    },
    own: { kind: ['post', 'reply', 'comment'] },
    time: 'posted_at',
    views: { activity: { label: 'When you posted; no text', fields: ['kind', 'posted_at'] } },
    search: ['title', 'text', 'mentions', 'hashtags', 'attachments'],
    ranges: ['posted_at'],
    group_by: ['kind', 'author'],
  })
}

interface Post {
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

export function postRecord(stream: string, place: string, post: Post): RecordEvent {
  const { title = null, author = null, reply_to = null, url = null } = post
  const { mentions = [], hashtags = [], links = [], attachments = [] } = post
  return record(stream, place, {
    ...post,
    title,
    author,
    reply_to,
    url,
    mentions,
    hashtags,
    links,
    attachments,
  })
}
