import type { JsonObject } from '../../model/json.ts'
import { chatRecord } from '../chat/chat-stream.ts'
import { SKYPE } from '../chat/messengers.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { EACH } from '../json-items.ts'
import { folderIn, nameIn, storedFile } from '../reading/attached-files.ts'
import { filesBelow, findingOf } from '../reading/exported-files.ts'
import { headText } from '../reading/head.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { listedObjects, objectItems } from '../reading/json-objects.ts'
import { idIn, instantIn, textIn, textsIn, writtenIn } from '../reading/json-values.ts'
import { recordIdOf, repeatedIds } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'

const MESSAGE_BYTES = 600
const MESSAGES = ['conversations', EACH, 'MessageList']

export const recognise: Recognise = async (read, source) => {
  const [first] = read
  if (!first) return null
  const folders = read.map(({ path }) => folderIn(path))
  const beside = filesBelow(folders, /^(?:media\/|endpoints\.json$)/, source.files)
  const media = mediaById(beside)
  const account = /"userId"\s*:\s*"([^"]+)"/.exec(await headText(first))?.[1] ?? null
  return findingOf(SKYPE, read, MESSAGE_BYTES, () => file => messageItems(file, media), { beside, account })
}

/** `media/0-weu-d1-abc.1.jpg` is a file of the message that names `0-weu-d1-abc`. */
function mediaById(files: readonly SourceFile[]): Map<string, SourceFile> {
  const found = new Map<string, SourceFile>()
  for (const file of files) {
    const id = /^([^.]+)\.\d+\.(?!json$)\w+$/i.exec(nameIn(file.path))?.[1]
    if (id) found.set(id, file)
  }
  return found
}

function messageItems(file: SourceFile, media: ReadonlyMap<string, SourceFile>) {
  const idOf = repeatedIds('skype message')
  return objectItems(listedObjects(file, 'message', MESSAGES), (value, { around, place }) => {
    const id = idIn(around.id) ?? 'chat'
    const time = writtenIn(value.originalarrivaltime)
    const sourceId = idIn(value.id)
    const facts = `${time}\n${writtenIn(value.from)}\n${writtenIn(value.content)}`
    const { id: key, repeat } = idOf(id, sourceId ?? facts)
    const chat = {
      id: recordIdOf('skype chat', id),
      sourceId: id,
      name: textIn(around.displayName) ?? id.replace(/^\d+:/, ''),
    }
    return messageEvents(value, { key, position: repeat + 1, chat, place }, media)
  })
}

interface Place {
  key: string
  position: number
  chat: { id: string; sourceId: string; name: string }
  place: string
}

async function* messageEvents(
  message: JsonObject,
  { key, position, chat, place }: Place,
  media: ReadonlyMap<string, SourceFile>,
): AsyncGenerator<ImportEvent> {
  const type = textIn(message.messagetype) ?? 'Text'
  const content = textIn(message.content) ?? ''
  const from = idIn(message.from)
  // In a chat of two, the other person has the id of the chat.
  const name = from === chat.sourceId ? chat.name : (from?.replace(/^\d+:/, '') ?? null)
  const isSystem = type.startsWith('ThreadActivity/')
  yield chatRecord('skype_messages', place, {
    id: key,
    chat: chat.name,
    chat_id: chat.id,
    sender: isSystem ? null : (textIn(message.displayName) ?? name),
    sender_id: from,
    text: textOf(type, content),
    sent_at: instantIn(message.originalarrivaltime),
    position,
    kind: isSystem ? 'system' : type === 'Event/Call' ? 'call' : 'message',
    attachments: yield* attachmentsOf(message, content, media),
    source_id: idIn(message.id),
  })
}

function textOf(type: string, content: string): string | null {
  if (type === 'Text') return textIn(content)
  // Who joined or left, and who called whom for how long, are ids and numbers in XML.
  if (!type.startsWith('RichText')) return null
  if (/^\s*<URIObject\b/.test(content)) return null
  const html = content
    .replace(/<legacyquote>(?:(?!<legacyquote>)[\s\S])*?<\/legacyquote>/g, '\n')
    .replace(/\r?\n/g, '<br>')
  return textIn(textOfHtml(html))
}

async function* attachmentsOf(
  message: JsonObject,
  content: string,
  media: ReadonlyMap<string, SourceFile>,
): AsyncGenerator<ImportEvent, JsonObject[]> {
  const written = /<OriginalName\b[^<>]*\bv="([^"]+)"/.exec(content)?.[1]
  const attachments: JsonObject[] = []
  for (const id of textsIn(message.amsreferences)) {
    const stored = yield* storedFile(media.get(id), written)
    if (stored) attachments.push(stored)
  }
  return attachments.length === 0 && written !== undefined ? [{ name: written }] : attachments
}
