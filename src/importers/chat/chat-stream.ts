import type { OwnDeclaration, Property, StreamDeclaration } from '../../model/declaration/declaration.ts'
import { type Json, type JsonObject, objectsIn } from '../../model/json.ts'
import { recordStream } from '../declare.ts'
import { record } from '../events.ts'
import * as f from '../fields.ts'
import type { RecordEvent } from '../importer.ts'
import { textIn } from '../reading/json-values.ts'

/** What is specific to the messages of one messenger. */
export interface ChatStream {
  name: string
  label: string
  detail: string
  /** Fields that only this messenger has. */
  more?: Record<string, Partial<Property>>
  /** What the owner wrote, if the messenger says so. */
  own?: OwnDeclaration
}

/** A stream of the messages of a messenger. All messengers share the same fields. */
export function chatStream({ more, ...stream }: ChatStream): StreamDeclaration {
  return recordStream({
    ...stream,
    required: ['chat_id'],
    properties: {
      text: f.PLAIN_TEXT,
      chat: f.PLACE,
      chat_id: f.STRING,
      sender: f.ACTOR,
      sender_id: f.TEXT,
      sent_at: f.EVENT_TIME,
      sent_at_local: f.TEXT,
      position: f.COUNT,
      kind: f.STRING,
      reply_to_id: f.TEXT,
      edited_at: f.TIME,
      links: f.TEXTS,
      reactions: f.REACTIONS,
      attachments: f.ATTACHMENTS,
      attachment_count: f.COUNT,
      source_id: f.TEXT,
      ...more,
    },
    conversation: { key: 'chat_id', order: ['sent_at', 'position'] },
    time: 'sent_at',
    views: {
      traffic: {
        label: 'Who wrote where and when; no text',
        fields: ['chat', 'chat_id', 'sender', 'sent_at', 'kind', 'attachment_count'],
      },
    },
    search: ['text', 'sender', 'chat', 'attachments'],
    ranges: ['sent_at', 'edited_at'],
    sum: ['attachment_count'],
    group_by: ['chat', 'chat_id', 'sender', 'kind'],
    count_distinct: ['chat_id', 'sender'],
  })
}

interface ChatMessage {
  id: string
  chat: string | null
  chat_id: string
  sender: string | null
  sender_id?: string | null
  text: string | null
  sent_at: string | null
  /** The local time from the source, with an offset only if the source has one. */
  sent_at_local?: string | null
  /** The position among messages with the same time or in the same chat, from 1. */
  position: number
  /** `message`, `system`, `call` or the messenger's own name for it. */
  kind: string
  reply_to_id?: string | null
  edited_at?: string | null
  reactions?: JsonObject[]
  attachments?: JsonObject[]
  source_id?: string | null
  /** The fields that only this messenger has. */
  more?: JsonObject
}

const LINK = /\bhttps?:\/\/[^\s<>"'\])}]{3,2000}/g

/** The record of a message. */
export function chatRecord(stream: string, place: string, { more, ...message }: ChatMessage): RecordEvent {
  const { attachments = [], reactions = [] } = message
  const data = {
    ...message,
    sender_id: message.sender_id ?? null,
    sent_at_local: message.sent_at_local ?? null,
    reply_to_id: message.reply_to_id ?? null,
    edited_at: message.edited_at ?? null,
    links: linksIn(message.text ?? ''),
    reactions,
    attachments,
    attachment_count: attachments.length,
    source_id: message.source_id ?? null,
    ...more,
  }
  return record(stream, place, data)
}

/** Reactions that are listed one by one, with the name of each in the member `nameKey`. */
export function reactionsIn(
  listed: Json | undefined,
  nameKey: string,
  userOf: (reaction: JsonObject) => string | null,
): JsonObject[] {
  const groups = Map.groupBy(objectsIn(listed), reaction => textIn(reaction[nameKey]) ?? 'reaction')
  return [...groups].map(([name, all]) => ({
    name,
    count: all.length,
    users: all.map(userOf).filter(user => user !== null),
  }))
}

/** The web addresses in a text, without the punctuation after them. */
function linksIn(text: string): string[] {
  return [...new Set((text.match(LINK) ?? []).map(link => link.replace(/(?<![.,;:!?])[.,;:!?]+$/, '')))]
}
