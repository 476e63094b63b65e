import { createHash } from 'node:crypto'
import { type Json, type JsonObject, own, sameJson } from '../json.ts'
import { advance } from '../text/code-points.ts'
import { type ConversationDeclaration, formatOf, type StreamDeclaration } from './declaration.ts'
import { orderKey, sortKey, TEXT_KEY } from './keys.ts'

export function conversationOf(stream: StreamDeclaration): ConversationDeclaration | undefined {
  return stream.schema.x_pdpp_conversation
}

/** Every field that defines a conversation. A reader must be able to see all of them to read one. */
export function conversationFields({ key, order, around, shown_if }: ConversationDeclaration): string[] {
  return [...new Set([key, ...order, ...(around ? [around.place] : []), ...Object.keys(shown_if ?? {})])]
}

/** Where a record belongs, as stored in indexes: bounded texts whose byte order is the order of the conversation. */
export interface ConversationPlace {
  thread_key: string | null
  place_key: string | null
  order_key: string | null
}

export const NO_PLACE: ConversationPlace = { thread_key: null, place_key: null, order_key: null }

const MOST_KEY_CHARS = 80
const MOST_ORDER_CHARS = 100
const BETWEEN_FIELDS = '\u0001'
/** Sorts records without a value last. */
const NO_VALUE = 'z'

/** Must be raised when the same records would be ordered in another way; the orders of other forms are rebuilt. */
export const ORDER_FORM = 2

/** Messages of the same time, and of no time, are in the order of their ids, with numbers in these by value. */
export function conversationPlace(
  stream: StreamDeclaration,
  data: JsonObject,
  record_id: string,
): ConversationPlace {
  const conversation = conversationOf(stream)
  if (!conversation) return NO_PLACE
  const { key, order, around } = conversation
  const orders = order.map(field => sortKey(own(data, field), formatOf(stream, field)) ?? NO_VALUE)
  const joined = [...orders, TEXT_KEY + record_id].map(numbersByValue).join(BETWEEN_FIELDS)
  return {
    thread_key: boundedKey(own(data, key)),
    place_key: around ? boundedKey(own(data, around.place)) : null,
    order_key: joined.slice(0, advance(joined, 0, MOST_ORDER_CHARS)),
  }
}

/** The key of a text in which the order of texts puts m2 before m10; other keys stay as they are. */
function numbersByValue(key: string): string {
  if (!key.startsWith(TEXT_KEY)) return key
  return key.replace(
    /0*(\d{1,40})/g,
    (_, digits: string) => String.fromCharCode(0x30 + digits.length) + digits,
  )
}

/** Equal values get the same text, short enough for an index. Null for a value that cannot group records. */
function boundedKey(value: Json | undefined): string | null {
  const text = orderKey(value)
  if (text === null || text === 's') return null
  if (text.length <= MOST_KEY_CHARS) return text
  return `#${createHash('sha256').update(text).digest('hex')}`
}

/** Whether the source itself shows a record in its conversation. */
export function isShown({ shown_if }: ConversationDeclaration, data: JsonObject): boolean {
  return Object.entries(shown_if ?? {}).every(
    ([field, value]) => Object.hasOwn(data, field) && sameJson(data[field] as Json, value),
  )
}
