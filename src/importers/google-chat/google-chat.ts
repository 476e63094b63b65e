import { type JsonObject, objectsIn } from '../../model/json.ts'
import { chatRecord } from '../chat/chat-stream.ts'
import { GOOGLE_CHAT } from '../chat/messengers.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { folderIn, nameIn, storedFiles } from '../reading/attached-files.ts'
import { type FileItem, findingOf } from '../reading/exported-files.ts'
import { listedObjects, objectItems, wholeObject } from '../reading/json-objects.ts'
import { idIn, objectIn, textIn, textsIn } from '../reading/json-values.ts'
import { recordIdOf, repeatedIds } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { parseWrittenTime } from '../written-time.ts'

const MESSAGE_BYTES = 400

export const recognise: Recognise = async (read, source) => {
  const byPath = new Map(source.files.map(file => [file.path, file]))
  const folders = new Set(read.map(({ path }) => folderIn(path)))
  const about = source.files.find(({ path }) => /(?:^|\/)user_info\.json$/.test(path))
  const owner = about ? objectIn((await wholeObject(about)).value?.user) : {}
  const beside = source.files.filter(({ path }) => folders.has(folderIn(path)))
  const email = textIn(owner.email)
  return findingOf(GOOGLE_CHAT, read, MESSAGE_BYTES, () => file => messageItems(file, byPath, email), {
    beside: about ? [...beside, about] : beside,
    account: email,
    name: email,
  })
}

async function* messageItems(
  file: SourceFile,
  byPath: ReadonlyMap<string, SourceFile>,
  owner: string | null,
): AsyncGenerator<FileItem> {
  const folder = folderIn(file.path)
  const described = byPath.get(`${folder}group_info.json`)
  const group = (described && (await wholeObject(described)).value) || {}
  const others = objectsIn(group.members).filter(({ email }) => owner === null || email !== owner)
  const people = others.flatMap(({ name, email }) => textIn(name) ?? textIn(email) ?? [])
  const id = nameIn(folder.slice(0, -1)) || 'chat'
  const chat = { id, name: textIn(group.name) ?? (people.join(', ') || id) }
  const idOf = repeatedIds('google chat message')
  yield* objectItems(listedObjects(file, 'message', ['messages']), (value, { place }) => {
    const creator = objectIn(value.creator)
    const facts = [textIn(value.created_date) ?? '', textIn(creator.name) ?? '', textIn(value.text) ?? '']
    const sourceId = idIn(value.message_id)
    const { id: key, repeat } = idOf(chat.id, ...(sourceId === null ? facts : [sourceId]))
    return messageEvents(value, { key, position: repeat + 1, chat, place }, path => byPath.get(folder + path))
  })
}

async function* messageEvents(
  message: JsonObject,
  at: { key: string; position: number; chat: { id: string; name: string }; place: string },
  beside: (path: string) => SourceFile | undefined,
): AsyncGenerator<ImportEvent> {
  const creator = objectIn(message.creator)
  const attachments = yield* storedFiles(
    objectsIn(message.attached_files).map(({ original_name, export_name }) => [
      beside(textIn(export_name) ?? ''),
      { name: textIn(original_name) ?? textIn(export_name) },
    ]),
  )
  yield chatRecord('google_chat_messages', at.place, {
    id: at.key,
    chat: at.chat.name,
    chat_id: recordIdOf('google chat', at.chat.id),
    sender: textIn(creator.name) ?? textIn(creator.email),
    sender_id: textIn(creator.email),
    text: textIn(message.text),
    sent_at: timeOf(message.created_date),
    position: at.position,
    kind: message.message_state === 'DELETED' ? 'deleted' : 'message',
    edited_at: timeOf(message.updated_date),
    reactions: objectsIn(message.reactions).map(({ emoji, reactor_emails }) => {
      const users = textsIn(reactor_emails)
      return { name: textIn(objectIn(emoji).unicode) ?? 'reaction', count: users.length, users }
    }),
    attachments,
    source_id: idIn(message.message_id),
    more: { topic_id: idIn(message.topic_id) },
  })
}

/** `Tuesday, January 7, 2025 at 3:15:09 PM UTC` */
function timeOf(written: JsonObject[string] | undefined): string | null {
  return parseWrittenTime(textIn(written) ?? '', null)?.utc ?? null
}
