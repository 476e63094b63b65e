import { type JsonObject, objectsIn } from '../../model/json.ts'
import { chatRecord, reactionsIn } from '../chat/chat-stream.ts'
import { SIGNAL } from '../chat/messengers.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { folderIn, nameIn, storedFiles } from '../reading/attached-files.ts'
import { type FileItem, filesBelow, findingOf } from '../reading/exported-files.ts'
import { objectItems, writtenObjects } from '../reading/json-objects.ts'
import { textIn, writtenIn } from '../reading/json-values.ts'
import { recordIdOf, repeatCounter, repeatedIds } from '../record-id.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { parseWrittenTime } from '../written-time.ts'

const MESSAGE_BYTES = 200

export const recognise: Recognise = async (chats, source) => {
  const folders = chats.map(({ path }) => folderIn(path))
  const beside = filesBelow(folders, BESIDE, source.files)
  const byPath = new Map(source.files.map(file => [file.path, file]))
  return findingOf(SIGNAL, chats, MESSAGE_BYTES, () => file => messageItems(file, source, byPath), { beside })
}

/** The same chat in readable form, and its media files. */
const BESIDE = /^(?:media\/.*|chat\.md|index\.md|index\.html)$/

function messageItems(
  file: SourceFile,
  { name, timeZone }: Source,
  byPath: ReadonlyMap<string, SourceFile>,
): AsyncGenerator<FileItem> {
  const folder = folderIn(file.path)
  const chat = nameIn(folder.slice(0, -1)) || name
  const idOf = repeatedIds('signal message')
  const before = repeatCounter()
  const find = (path: string) => byPath.get(folder + path.replace(/^\.\//, ''))
  return objectItems(writtenObjects(file), (value, { place }) => {
    const { date, sender, body } = value
    const { id } = idOf(chat, writtenIn(date), writtenIn(sender), writtenIn(body))
    const position = before(writtenIn(date)) + 1
    return messageEvents(value, { id, chat, position, place, timeZone }, find)
  })
}

interface Known {
  id: string
  chat: string
  position: number
  place: string
  timeZone: string | undefined
}

async function* messageEvents(
  message: JsonObject,
  { id, chat, position, place, timeZone }: Known,
  find: (path: string) => SourceFile | undefined,
): AsyncGenerator<ImportEvent> {
  const written = parseWrittenTime(textIn(message.date) ?? '', null, timeZone)
  const attachments = yield* storedFiles(
    objectsIn(message.attachments).flatMap(({ name, path }) => {
      const written = textIn(path) ?? textIn(name)
      return written === null ? [] : [[find(written), { name: textIn(name) ?? nameIn(written) }] as const]
    }),
  )
  yield chatRecord('signal_messages', place, {
    id,
    chat,
    chat_id: recordIdOf('signal chat', chat),
    sender: textIn(message.sender),
    text: textIn([textIn(message.body)?.trim(), textIn(message.sticker)].filter(Boolean).join('\n')),
    sent_at: written?.utc ?? null,
    sent_at_local: written?.local ?? null,
    position,
    kind: textIn(message.sticker) === null ? 'message' : 'sticker',
    reactions: reactionsIn(message.reactions, 'emoji', ({ name }) => textIn(name)),
    attachments,
    more: { quote: textIn(message.quote)?.trim() || null },
  })
}
