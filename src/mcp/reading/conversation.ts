import { readConversation } from '../../api/conversation.ts'
import { pathOf, type QueryOf } from '../../api/route.ts'
import { CodedError } from '../../model/errors.ts'
import { type RecordReference, recordUri } from '../../model/ids/handle.ts'
import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { cutText } from '../../model/reading/record.ts'
import { countCodePoints } from '../../model/text/code-points.ts'
import { localTime, type TimeZone } from '../../model/time-zone.ts'
import { type Call, handleOf, readCall } from '../text/record-handle.ts'
import { firstName, firstText, isLink, recordLink } from './hit.ts'
import { ownerZone } from './narrowing.ts'
import { capabilitiesOf, type ResourceServerClient } from './resource-server-client.ts'
import { whole } from './window-shape.ts'

export interface Message {
  id: string
  /** In the owner's local time. */
  occurred_at: string | null
  author: string | null
  /** Opens the message, for people. */
  url: string
  asked: boolean
  complete: boolean
  /** Reads the rest of the text. */
  read: Call | null
  text: string
}

/** The messages around a record, in order. */
export interface Conversation {
  /** The id of the requested record; the cursors are used with it. */
  id: string
  title: string | null
  place: string | null
  complete: boolean
  previous_cursor: string | null
  next_cursor: string | null
  /** How many of its messages the source itself does not show. */
  left_out: number
  messages: Message[]
}

export type ConversationQuery = Pick<
  QueryOf<typeof readConversation>,
  'before' | 'after' | 'cursor' | 'limit_chars'
>

const LABEL_CHARS = 120

/** Reads one window of a conversation from a server that announces conversations. */
export async function readAround(
  client: ResourceServerClient,
  record: RecordReference,
  query: ConversationQuery,
): Promise<Conversation> {
  pathOf(readConversation, record)
  const capabilities = await capabilitiesOf(client)
  if (!capabilities.has('conversation'))
    throw new CodedError(
      'no_conversation',
      'This resource server has no conversations. Open the record with fetch, or list its stream with query_records.',
    )
  const { connection_id } = record
  const body = await client.get(readConversation, record, { connection_id, ...query })
  const zone = await ownerZone(client)
  const { conversation, messages } = body
  if (!isObject(conversation) || !Array.isArray(messages))
    throw new CodedError('provider_unavailable', 'The answer of the resource server is not a conversation.')
  const asked = { ...record, connection_id: connection_id ?? firstName(body, ['connection_id']) }
  const of = { ...asked, stream: firstName(body, ['stream']) ?? asked.stream }
  return {
    id: idOf(asked),
    title: labelOf(conversation, 'title'),
    place: labelOf(conversation, 'place'),
    complete: conversation.complete === true,
    previous_cursor: firstName(conversation, ['previous_cursor']),
    next_cursor: firstName(conversation, ['next_cursor']),
    left_out: whole(conversation.left_out),
    messages: messages.map(message => messageOf(message, of, client.provider.url, zone)),
  }
}

function messageOf(raw: Json, of: RecordReference, providerUrl: string, zone: TimeZone): Message {
  const message = isObject(raw) ? raw : {}
  const record = { ...of, record_id: firstName(message, ['record_key']) ?? of.record_id }
  const id = idOf(record)
  const text = typeof message.text === 'string' ? message.text : ''
  const field = firstName(message, ['field_path'])
  const url = firstText(message, ['url'])
  const complete = message.complete === true
  return {
    id,
    occurred_at: localTime(labelOf(message, 'occurred_at'), zone),
    author: labelOf(message, 'author'),
    url: url !== null && isLink(url) ? url : recordLink(providerUrl, record),
    asked: message.asked === true,
    complete,
    read:
      complete || field === null ? null : readCall({ id }, field, { offset_chars: countCodePoints(text) }),
    text,
  }
}

/** An id that is complete on its own. */
function idOf(record: RecordReference): string {
  const { id, connection_id } = handleOf(record)
  return connection_id === undefined ? id : recordUri(connection_id, record.stream, record.record_id)
}

function labelOf(object: JsonObject, name: string): string | null {
  const label = firstText(object, [name])
  return label === null ? null : cutText(label, LABEL_CHARS)
}
