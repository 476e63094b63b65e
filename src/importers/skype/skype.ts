import type { JsonObject } from '../../model/json.ts'
import type { Recognise } from '../importer.ts'
import { EACH } from '../json-items.ts'
import { folderIn, nameIn } from '../reading/attached-files.ts'
import { findingOf } from '../reading/exported-files.ts'
import { headText } from '../reading/head.ts'
import { listedObjects, objectItems } from '../reading/json-objects.ts'
import { idIn, textIn, writtenIn } from '../reading/json-values.ts'
import { recordIdOf } from '../record-id.ts'
import { repeatedIds } from '../repeats.ts'
import type { SourceFile } from '../source/source.ts'
import { SKYPE } from './declaration.ts'
import { messageEvents } from './message.ts'

const MESSAGE_BYTES = 600
const MESSAGES = ['conversations', EACH, 'MessageList']

export const recognise: Recognise = async (read, source) => {
  const [first] = read
  if (!first) return null
  const folders = new Set(read.map(({ path }) => folderIn(path)))
  const beside = source.files.filter(({ path }) =>
    [...folders].some(folder => path.startsWith(`${folder}media/`) || path === `${folder}endpoints.json`),
  )
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
    const chat = { id: recordIdOf('skype chat', id), sourceId: id, name: nameOf(around, id) }
    return messageEvents(value, { key, position: repeat + 1, chat, place }, media)
  })
}

function nameOf(conversation: JsonObject, id: string): string {
  return textIn(conversation.displayName) ?? id.replace(/^\d+:/, '')
}
