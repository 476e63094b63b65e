import { isUtf8 } from 'node:buffer'
import { isObject, type Json, type JsonObject, objectsIn } from '../../model/json.ts'
import { chatRecord, reactionsIn } from '../chat/chat-stream.ts'
import type { ImportEvent } from '../importer.ts'
import { jsonMembers } from '../json-items.ts'
import { folderIn, nameIn, storedFiles } from '../reading/attached-files.ts'
import type { FileItem } from '../reading/exported-files.ts'
import { listedObjects, objectItems } from '../reading/json-objects.ts'
import { epochIn, linesIn, objectIn, textIn, textsIn, writtenIn } from '../reading/json-values.ts'
import { recordIdOf, repeatedIds } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'

/** Finds the file that an export names by its path. */
export type FindMedia = (uri: Json | undefined) => SourceFile | undefined

interface Thread {
  id: string
  title: string | null
  participants: string[]
}

/** The messages of a file. The title comes after them in the file, so the file is first read for the title. */
export async function* threadItems(file: SourceFile, find: FindMedia): AsyncGenerator<FileItem> {
  const members = mendedAll(await jsonMembers(file.open()))
  const named = objectsIn(members.participants).flatMap(({ name }) => textIn(name) ?? [])
  const participants = [...named, ...textsIn(members.participants)]
  const folder = nameIn(folderIn(file.path).slice(0, -1))
  const threadName = textIn(members.threadName)
  const title = textIn(members.title) ?? threadName?.replace(/_\d+$/, '') ?? participants.join(', ')
  const id = textIn(members.thread_path) ?? threadName ?? (folder || 'thread')
  const thread: Thread = { id, title: textIn(title), participants }
  const idOf = repeatedIds('meta message')
  yield* objectItems(listedObjects(file, 'message', ['messages']), (value, { place }) => {
    const message = fromSecureStorage(mendedAll(value))
    const { timestamp_ms, sender_name, content = '' } = message
    const facts = [timestamp_ms, sender_name, content ?? ''].map(writtenIn)
    const { id: key, repeat } = idOf(thread.id, ...facts)
    return messageEvents(message, { id: key, position: repeat + 1, thread, place }, find)
  })
}

/** Chats with end-to-end encryption are exported from Messenger itself, with other names for the same things. */
function fromSecureStorage(message: JsonObject): JsonObject {
  if (!('senderName' in message)) return message
  const { senderName = null, timestamp = null, text = null, media = null, isUnsent = null } = message
  const reactions = message.reactions ?? null
  const common = { sender_name: senderName, timestamp_ms: timestamp, content: text }
  return { ...common, files: media, reactions, is_unsent: isUnsent }
}

const FILES = ['photos', 'videos', 'audio_files', 'files', 'gifs'] as const

async function* messageEvents(
  message: JsonObject,
  { id, position, thread, place }: { id: string; position: number; thread: Thread; place: string },
  find: FindMedia,
): AsyncGenerator<ImportEvent> {
  const files = [...FILES.flatMap(kind => objectsIn(message[kind])), objectIn(message.sticker)]
  const uris = files.flatMap(({ uri }) => textIn(uri) ?? [])
  const attachments = yield* storedFiles(uris.map(uri => [find(uri), { name: nameIn(uri) }]))
  const share = objectIn(message.share)
  yield chatRecord('meta_messages', place, {
    id,
    chat: thread.title,
    chat_id: recordIdOf('meta thread', thread.id),
    sender: textIn(message.sender_name),
    text: linesIn(textIn(message.content), textIn(share.share_text), textIn(share.link)),
    sent_at: epochIn(message.timestamp_ms, 'milliseconds'),
    position,
    kind: message.is_unsent === true ? 'unsent' : 'call_duration' in message ? 'call' : 'message',
    reactions: reactionsIn(message.reactions, 'reaction', ({ actor }) => textIn(actor)),
    attachments,
    more: { participants: thread.participants },
  })
}

/** Facebook and Instagram write each byte of UTF-8 as a character: `MÃ¼ller` for `Müller`. */
export function mended(text: string): string {
  if (!/[\u0080-\u00ff]/.test(text) || /[^\0-\u00ff]/.test(text)) return text
  const bytes = Buffer.from(text, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : text
}

/** The same for every text in a value. */
export function mendedAll<T extends Json>(value: T): T {
  if (typeof value === 'string') return mended(value) as T
  if (Array.isArray(value)) return value.map(mendedAll) as unknown as T
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, mendedAll(child)]),
  ) as unknown as T
}
