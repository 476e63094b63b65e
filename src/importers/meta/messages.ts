import type { JsonObject } from '../../model/json.ts'
import { chatRecord } from '../chat/chat-message.ts'
import type { ImportEvent } from '../importer.ts'
import { jsonMembers } from '../json-items.ts'
import { folderIn, nameIn, storedFile } from '../reading/attached-files.ts'
import type { FileItem } from '../reading/file-items.ts'
import { listedItems } from '../reading/json-objects.ts'
import { epochIn, objectIn, objectsIn, textIn, textsIn, writtenIn } from '../reading/json-values.ts'
import { recordIdOf } from '../record-id.ts'
import { repeatCounter, repeatedId } from '../repeats.ts'
import type { SourceFile } from '../source/source.ts'
import type { FindMedia } from './find-media.ts'
import { mendedAll } from './mended-text.ts'

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
  const repeats = repeatCounter()
  yield* listedItems(file, 'message', ['messages'], (value, { place }) => {
    const message = fromSecureStorage(mendedAll(value))
    const facts = [
      thread.id,
      writtenIn(message.timestamp_ms),
      writtenIn(message.sender_name),
      writtenIn(message.content ?? ''),
    ]
    const repeat = repeats(facts.join('\n'))
    const key = repeatedId(repeat, 'meta message', ...facts)
    return messageEvents(message, key, repeat + 1, thread, place, find)
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
  id: string,
  position: number,
  thread: Thread,
  place: string,
  find: FindMedia,
): AsyncGenerator<ImportEvent> {
  const attachments: JsonObject[] = []
  for (const item of [
    ...FILES.flatMap(kind => objectsIn(message[kind])),
    ...objectsIn([objectIn(message.sticker)]),
  ]) {
    const uri = textIn(item.uri)
    if (uri === null) continue
    const stored = yield* storedFile(find(uri))
    attachments.push(stored ?? { name: nameIn(uri) })
  }
  const share = objectIn(message.share)
  const shared = [textIn(share.share_text), textIn(share.link)].filter(part => part !== null)
  const reactions = Map.groupBy(
    objectsIn(message.reactions),
    ({ reaction }) => textIn(reaction) ?? 'reaction',
  )
  yield chatRecord(
    'meta_messages',
    {
      id,
      chat: thread.title,
      chat_id: recordIdOf('meta thread', thread.id),
      sender: textIn(message.sender_name),
      text: textIn([textIn(message.content), ...shared].filter(part => part !== null).join('\n')),
      sent_at: epochIn(message.timestamp_ms, 'milliseconds'),
      position,
      kind: message.is_unsent === true ? 'unsent' : 'call_duration' in message ? 'call' : 'message',
      reactions: [...reactions].map(([name, all]) => ({
        name,
        count: all.length,
        users: all.flatMap(({ actor }) => textIn(actor) ?? []),
      })),
      attachments,
    },
    place,
    { participants: thread.participants },
  )
}
