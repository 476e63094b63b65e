import { randomBytes } from 'node:crypto'
import { CONVERSATION_CHARS } from '../../api/conversation.ts'
import { CodedError } from '../../model/errors.ts'
import type { RecordReference } from '../../model/ids/handle.ts'
import type { JsonObject } from '../../model/json.ts'
import {
  type Conversation,
  type ConversationQuery,
  type Message,
  readAround,
} from '../reading/conversation.ts'
import type { ResourceServerClient } from '../reading/resource-server-client.ts'
import { bytesOf, callText, DATA_NOTE, timeText, visible, word } from '../text/quote.ts'
import type { ToolAnswer } from '../tool.ts'
import { MOST_STRUCTURED_BYTES } from './fitting-page.ts'

/** Includes only known members, so that no tokens are wasted on empty ones. */
function conversationContent({ messages, left_out, ...conversation }: Conversation): JsonObject {
  const { id, title, place, ...rest } = conversation
  return {
    conversation: {
      id,
      ...known({ title, place }),
      ...rest,
      ...(left_out > 0 ? { left_out } : {}),
      note: DATA_NOTE,
    },
    messages: messages.map(messageContent),
  }
}

function messageContent({ id, occurred_at, author, url, asked, complete, read, text }: Message): JsonObject {
  return {
    id,
    ...(asked ? { asked } : {}),
    occurred_at,
    ...known({ author }),
    url,
    complete,
    ...known({ read }),
    text,
  }
}

/** One line of JSON, then each message: its id, time, author and link, and its text in a fence (RF-6). */
export function conversationText(conversation: Conversation): string {
  const boundary = randomBytes(6).toString('hex')
  const { messages, id, title, place, previous_cursor, next_cursor, complete, left_out } = conversation
  const header: JsonObject = {
    id,
    ...known({ title, ...(place === title ? {} : { place }) }),
    messages: messages.length,
    complete,
    previous_cursor,
    next_cursor,
    ...(left_out > 0 ? { left_out } : {}),
    note: DATA_NOTE,
    boundary,
  }
  return [
    visible(JSON.stringify(header)),
    ...messages.map(message => messageText(message, boundary)),
    ...cursorLine('Earlier', id, previous_cursor),
    ...cursorLine('Later', id, next_cursor),
  ].join('\n')
}

function messageText(message: Message, boundary: string): string {
  const { id, occurred_at, author, url, asked, read, text } = message
  const labels = [
    `[${id}]`,
    ...(occurred_at === null ? [] : [timeText(occurred_at)]),
    ...(author === null ? [] : [word(author)]),
    ...(asked ? ['(asked)'] : []),
    url,
  ]
  const lines = [labels.join(' '), `<<<${boundary}`, text, `${boundary}>>>`]
  if (read) lines.push(`Cut. Continue: ${callText(read)}`)
  return lines.join('\n')
}

function cursorLine(label: string, id: string, cursor: string | null): string[] {
  return cursor === null ? [] : [`${label}: ${callText({ tool: 'read_conversation', args: { id, cursor } })}`]
}

function known(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))
}

/**
 * A window that is small enough for hosts: one with too many bytes is requested again with fewer characters, so that
 * its cursors continue at its ends.
 */
export async function conversationAround(
  client: ResourceServerClient,
  record: RecordReference,
  query: ConversationQuery = {},
): Promise<ToolAnswer> {
  let limit = Number(query.limit_chars ?? CONVERSATION_CHARS.usual)
  const most = Math.max(CONVERSATION_CHARS.usual, limit)
  for (;;) {
    const conversation = await readAround(client, record, { ...query, limit_chars: limit })
    const structured = conversationContent(conversation)
    const shown = conversationText(conversation)
    const excess = Math.max(
      bytesOf(shown) / most,
      bytesOf(JSON.stringify(structured)) / MOST_STRUCTURED_BYTES,
    )
    if (excess <= 1) return { text: shown, structured }
    if (limit <= 1)
      throw new CodedError(
        'provider_answer_too_large',
        'The message alone is too large to be shown in its conversation. Open it with fetch.',
      )
    limit = Math.max(1, Math.min(limit - 1, Math.floor(limit / excess)))
  }
}
