import { type Catalog, grantsFieldThroughout, type Source } from '../../model/access/enforce.ts'
import {
  type ConversationPlace,
  conversationFields,
  conversationOf,
  conversationPlace,
  isShown,
} from '../../model/declaration/conversation.ts'
import type { ConversationDeclaration } from '../../model/declaration/declaration.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import { CodedError } from '../../model/errors.ts'
import { isObject, type Json, parseJson, sameJson } from '../../model/json.ts'
import {
  type ConversationKey,
  type ConversationPosition,
  type ConversationRow,
  neighbours,
  placeOf,
  spanOf,
} from '../../store/records/conversation.ts'
import type { RequestContext } from '../request/context.ts'
import type { FoundRecord } from './read-record.ts'

/** The conversation that a source declares, if it still does, and whether all its fields may be seen in every record. */
function declaredConversation(
  catalog: Catalog,
  source: Source,
): { conversation: ConversationDeclaration; isOpen: boolean } | null {
  const conversation = conversationOf(source.stream)
  if (!conversation) return null
  const now = catalog.connections
    .find(({ connection_id }) => connection_id === source.connection_id)
    ?.declaration.streams.find(({ name }) => name === source.stream.name)
  const current = now && conversationOf(now)
  if (!current || !sameJson(conversation as Json, current as Json)) return null
  const isOpen = conversationFields(conversation).every(field => grantsFieldThroughout(source, field))
  return { conversation, isOpen }
}

/** The conversation that a source declares; null unless it may be used (RS-5). */
export function openConversation(catalog: Catalog, source: Source): ConversationDeclaration | null {
  const declared = declaredConversation(catalog, source)
  return declared?.isOpen ? declared.conversation : null
}

/** Throws the reason if it may not be used. */
function assertedConversation(catalog: Catalog, source: Source): ConversationDeclaration {
  const declared = declaredConversation(catalog, source)
  if (!declared)
    throw new CodedError('no_conversation', `The stream ${source.stream.name} declares no conversation.`)
  if (declared.isOpen) return declared.conversation
  const message =
    'The grant does not open the fields that make up a conversation. Read the record alone, or list the records around its time.'
  throw new CodedError('field_not_granted', message)
}

export interface OpenedConversation {
  key: ConversationKey
  conversation: ConversationDeclaration
  /** The message at which it is opened. */
  start: ConversationRow
  /** The id of the requested message; null if the record represents the whole conversation. */
  asked: string | null
}

/** The conversation that a record belongs to or represents. */
export async function openedConversation(
  context: RequestContext,
  found: FoundRecord,
): Promise<OpenedConversation> {
  const { store, owner_id, catalog } = context
  const { source, record } = found
  // Each answer tells that the record exists, also one that there is no conversation.
  context.decideBy(source, source.stream.primary_key, [record.record_id])
  const related = conversationOf(source.stream) ? null : relatedConversation(context, found)
  if (related) return openedAtFirst(context, related)
  const conversation = assertedConversation(catalog, source)
  context.decideBy(source, conversationFields(conversation), [record.record_id])
  const place = await placeOf(store.database, owner_id, source, record.record_id)
  const key = keyOf(owner_id, source, place, conversation)
  const position = { order_key: place?.order_key ?? '', record_key: recordKey(record.record_id) }
  return { key, conversation, start: { record, position }, asked: record.record_id }
}

interface RelatedConversation {
  /** The stream of the messages. */
  source: Source
  conversation: ConversationDeclaration
  thread_key: string
}

/**
 * The messages that refer to a record: its stream declares a relationship to a stream whose conversations use the
 * foreign key as their key. Null if there are none, or if they may not be read.
 */
function relatedConversation(
  context: RequestContext,
  { source, record }: FoundRecord,
): RelatedConversation | null {
  const { relationships = [], primary_key } = source.stream
  const [key = '', ...others] = primary_key
  if (others.length > 0) return null
  for (const { stream, foreign_key, cardinality } of relationships) {
    const messages = context
      .sources(undefined)
      .find(each => each.connection_id === source.connection_id && each.stream.name === stream)
    const conversation = messages && openConversation(context.catalog, messages)
    if (!conversation || cardinality !== 'has_many' || conversation.key !== foreign_key) continue
    const data = parseJson(record.data)
    const value = isObject(data) ? (data[key] ?? null) : null
    const { thread_key } = conversationPlace(messages.stream, { [foreign_key]: value }, '')
    if (thread_key !== null) return { source: messages, conversation, thread_key }
  }
  return null
}

const BEFORE_ALL: ConversationPosition = { order_key: '', record_key: '' }

async function openedAtFirst(
  context: RequestContext,
  { source, conversation, thread_key }: RelatedConversation,
): Promise<OpenedConversation> {
  const { store, owner_id, budget } = context
  context.decideBy(source, conversationFields(conversation))
  const key = keyOf(owner_id, source, { thread_key, place_key: null, order_key: null }, conversation)
  for await (const start of neighbours(store.database, key, 'after', BEFORE_ALL, budget)) {
    const data = parseJson(start.record.data)
    if (isObject(data) && isShown(conversation, data)) return { key, conversation, start, asked: null }
  }
  throw noConversation()
}

function keyOf(
  owner_id: string,
  source: Source,
  place: ConversationPlace | undefined,
  conversation: ConversationDeclaration,
): ConversationKey {
  const span = place && spanOf(place, conversation)
  if (!span) throw noConversation()
  return { owner_id, source, ...span }
}

function noConversation(): CodedError {
  return new CodedError('no_conversation', 'This record belongs to no conversation.')
}
