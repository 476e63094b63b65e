import { isObject, type Json, type JsonObject, objectsIn } from '../../model/json.ts'
import { chatRecord } from '../chat/chat-stream.ts'
import type { ImportEvent } from '../importer.ts'
import { nameIn, storedFiles, type WrittenFile } from '../reading/attached-files.ts'
import { epochIn, idIn, integerIn, objectIn, textIn, textsIn, writtenIn } from '../reading/json-values.ts'
import { recordIdOf } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { parseWrittenTime } from '../written-time.ts'

export interface Chat {
  name: string | null
  kind: string | null
  id: string
}

/** Each message has an id in its chat, but some third-party tools omit it. */
export function messageKey(message: JsonObject, chat: Chat, repeats: (id: string) => number): string {
  const id = idIn(message.id)
  if (id !== null) return recordIdOf('telegram message', chat.id, id)
  const facts = [
    writtenIn(message.date_unixtime ?? message.date),
    writtenIn(message.from),
    textOf(message.text) ?? '',
  ]
  const repeat = repeats([chat.id, ...facts].join('\n'))
  return recordIdOf('telegram message', chat.id, ...facts, String(repeat))
}

interface Known {
  id: string
  chat: Chat
  index: number
  place: string
  timeZone: string | undefined
}

export async function* messageEvents(
  message: JsonObject,
  { id, chat, index, place, timeZone }: Known,
  beside: (path: string) => SourceFile | undefined,
): AsyncGenerator<ImportEvent> {
  const written = parseWrittenTime(textIn(message.date) ?? '', null, timeZone)
  const reply = idIn(message.reply_to_message_id)
  const edited = parseWrittenTime(textIn(message.edited) ?? '', null, timeZone)
  const isService = message.type === 'service'
  yield chatRecord('telegram_messages', place, {
    id,
    chat: chat.name,
    chat_id: recordIdOf('telegram chat', chat.id),
    sender: textIn(message.from) ?? textIn(message.actor),
    sender_id: idIn(message.from_id) ?? idIn(message.actor_id),
    text: isService
      ? serviceText(message)
      : textIn([textOf(message.text) ?? [], ...shownBeside(message)].flat().join('\n')),
    sent_at: epochIn(message.date_unixtime, 'seconds') ?? written?.utc ?? null,
    sent_at_local: written?.local ?? null,
    position: integerIn(message.id) ?? index + 1,
    kind: isService ? 'service' : (textIn(message.media_type) ?? 'message'),
    reply_to_id: reply === null ? null : recordIdOf('telegram message', chat.id, reply),
    edited_at: epochIn(message.edited_unixtime, 'seconds') ?? edited?.utc ?? null,
    reactions: objectsIn(message.reactions).map(reactionOf),
    attachments: yield* storedFiles(filesOf(message, beside)),
    source_id: idIn(message.id),
    more: { forwarded_from: textIn(message.forwarded_from), chat_kind: chat.kind },
  })
}

/** A text, or a list of texts and marked parts. */
function textOf(text: Json | undefined): string | null {
  const parts = Array.isArray(text) ? text : [text ?? '']
  const joined = parts.map(part => {
    if (!isObject(part)) return typeof part === 'string' ? part : ''
    const words = textIn(part.text) ?? ''
    const href = textIn(part.href)
    return href === null || href === words ? words : `${words} (${href})`
  })
  return textIn(joined.join(''))
}

/** The text of a service message: `Ada invite members Ben`. */
function serviceText(message: JsonObject): string | null {
  const action = (textIn(message.action) ?? '').replaceAll('_', ' ')
  const about = [textIn(message.title), ...textsIn(message.members), textOf(message.text)]
  return textIn([textIn(message.actor), action, ...about].filter(Boolean).join(' '))
}

function reactionOf(reaction: JsonObject): JsonObject {
  return {
    name: textIn(reaction.emoji) ?? textIn(reaction.type) ?? 'reaction',
    count: integerIn(reaction.count) ?? 1,
    users: objectsIn(reaction.recent).flatMap(({ from }) => textIn(from) ?? []),
  }
}

function filesOf(
  message: JsonObject,
  beside: (path: string) => SourceFile | undefined,
): [SourceFile | undefined, WrittenFile][] {
  const paths = [textIn(message.photo), textIn(message.file)].filter(path => path !== null)
  return paths.map(path => {
    const isPhoto = path === message.photo
    const mime_type = textIn(message.mime_type) ?? (isPhoto ? 'image/jpeg' : null)
    const size_bytes = integerIn(isPhoto ? message.photo_file_size : message.file_size)
    // For a file that was not exported, Telegram writes a sentence in parentheses instead of the path.
    const name = textIn(message.file_name) ?? (path.startsWith('(') ? null : nameIn(path))
    return [beside(path), { name, mime_type, size_bytes }]
  })
}

/** What Telegram shows in a message besides its text: a poll, a list, a place, a person, the emoji of a sticker. */
function shownBeside(message: JsonObject): string[] {
  const poll = objectIn(message.poll)
  const list = objectIn(message.todo_list)
  const contact = objectIn(message.contact_information)
  const { latitude, longitude } = objectIn(message.location_information)
  const lines = [
    textIn(poll.question),
    ...objectsIn(poll.answers).map(({ text, voters }) => `• ${textIn(text)}: ${integerIn(voters) ?? 0}`),
    textIn(list.title),
    ...objectsIn(list.answers).map(({ text }) => `• ${textIn(text)}`),
    textIn(message.place_name),
    textIn(message.address),
    typeof latitude === 'number' && typeof longitude === 'number' ? `${latitude}, ${longitude}` : null,
    [contact.first_name, contact.last_name, contact.phone_number]
      .flatMap(part => textIn(part) ?? [])
      .join(' '),
    textIn(message.sticker_emoji),
  ]
  return lines.filter(line => line !== null && line !== '') as string[]
}
