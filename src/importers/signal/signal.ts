import type { JsonObject } from '../../model/json.ts'
import { chatRecord } from '../chat/chat-message.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { problemOf } from '../json-items.ts'
import { folderIn, nameIn, storedFile } from '../reading/attached-files.ts'
import { findingOf } from '../reading/exported-files.ts'
import { type FileItem, readFileItems } from '../reading/file-items.ts'
import { parsedObject } from '../reading/json-objects.ts'
import { objectsIn, textIn, writtenIn } from '../reading/json-values.ts'
import { linesOf } from '../reading/text-lines.ts'
import { recordIdOf } from '../record-id.ts'
import { repeatCounter, repeatedId } from '../repeats.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { parseWrittenTime } from '../written-time.ts'
import { SIGNAL } from './declaration.ts'

const MESSAGE_BYTES = 200

export const recognise: Recognise = async (chats, source) => {
  const folders = chats.map(({ path }) => folderIn(path))
  const beside = source.files.filter(({ path }) => folders.some(folder => isBeside(path, folder)))
  const byPath = new Map(source.files.map(file => [file.path, file]))
  return findingOf(
    SIGNAL,
    chats,
    MESSAGE_BYTES,
    from => readFileItems(chats, from, file => messageItems(file, source, byPath)),
    beside,
  )
}

/** The same chat in readable form, and its media files. */
function isBeside(path: string, folder: string): boolean {
  if (!path.startsWith(folder)) return false
  return /^(?:media\/.*|chat\.md|index\.md|index\.html)$/.test(path.slice(folder.length))
}

async function* messageItems(
  file: SourceFile,
  { name, timeZone }: Source,
  byPath: ReadonlyMap<string, SourceFile>,
): AsyncGenerator<FileItem> {
  const folder = folderIn(file.path)
  const chat = nameIn(folder.slice(0, -1)) || name
  const repeats = repeatCounter()
  for await (const { number, text, end } of linesOf(file.open())) {
    if (text?.trim() === '') continue
    const place = `${file.path}, line ${number}`
    if (text === null) {
      yield { events: () => [{ kind: 'rejection', place, ...problemOf('too_large') }], end }
      continue
    }
    const { value, rejection } = parsedObject(text, place)
    if (rejection) yield { events: () => [rejection], end }
    if (!value) continue
    const facts = [chat, writtenIn(value.date), writtenIn(value.sender), writtenIn(value.body)]
    const repeat = repeats(facts.join('\n'))
    const id = repeatedId(repeat, 'signal message', ...facts)
    const position = repeats(`${chat}\n${writtenIn(value.date)}`) + 1
    const find = (path: string) => byPath.get(folder + path.replace(/^\.\//, ''))
    yield { events: () => messageEvents(value, { id, chat, position, place, timeZone }, find), end }
  }
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
  const attachments: JsonObject[] = []
  for (const { name, path } of objectsIn(message.attachments)) {
    const written = textIn(path) ?? textIn(name)
    if (written === null) continue
    const stored = yield* storedFile(find(written), textIn(name))
    attachments.push(stored ?? { name: textIn(name) ?? nameIn(written) })
  }
  const reactions = Map.groupBy(objectsIn(message.reactions), ({ emoji }) => textIn(emoji) ?? 'reaction')
  yield chatRecord(
    'signal_messages',
    {
      id,
      chat,
      chat_id: recordIdOf('signal chat', chat),
      sender: textIn(message.sender),
      text: textIn([textIn(message.body)?.trim(), textIn(message.sticker)].filter(Boolean).join('\n')),
      sent_at: written?.utc ?? null,
      sent_at_local: written?.local ?? null,
      position,
      kind: textIn(message.sticker) === null ? 'message' : 'sticker',
      reactions: [...reactions].map(([name, all]) => ({
        name,
        count: all.length,
        users: all.flatMap(reaction => textIn(reaction.name) ?? []),
      })),
      attachments,
    },
    place,
    { quote: textIn(message.quote)?.trim() || null },
  )
}
