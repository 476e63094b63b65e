import { type JsonObject, objectsIn } from '../../model/json.ts'
import { chatRecord } from '../chat/chat-stream.ts'
import { DISCORD } from '../chat/messengers.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { type FileItem, filesWith, findingOf, sharedName, textInHead } from '../reading/exported-files.ts'
import { headText } from '../reading/head.ts'
import { listedObjects, objectItems } from '../reading/json-objects.ts'
import { idIn, instantIn, integerIn, linesIn, objectIn, textIn, writtenIn } from '../reading/json-values.ts'
import { recordIdOf, repeatCounter } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { packageItems, packageOf } from './data-package.ts'

const MESSAGE_BYTES = 700

export const recognise: Recognise = async (signed, source) => {
  const channels = await filesWith(
    signed,
    /\.json$/i,
    head =>
      /^\s*\{\s*"guild"\s*:/.test(head) &&
      /"channel"\s*:\s*\{/.test(head) &&
      /"messages"\s*:\s*\[/.test(head),
  )
  const own = packageOf(source)
  const read = [...channels, ...own.messages]
  if (read.length === 0) return null
  const itemsOf = (file: SourceFile) =>
    channels.includes(file) ? channelItems(file) : packageItems(file, own)
  const name = await sharedName(read, async file =>
    channels.includes(file) ? placeIn(await headText(file)) : textIn((await own.user()).username),
  )
  return findingOf(DISCORD, read, MESSAGE_BYTES, () => itemsOf, { beside: own.files, name })
}

/** The name of the server, or of the person in a direct message. */
function placeIn(head: string): string | null {
  const [guild = '', channel = ''] = head.split(/"channel"\s*:/)
  const server = textInHead(guild, 'name')
  return server === 'Direct Messages' ? textInHead(channel, 'name') : server
}

function channelItems(file: SourceFile): AsyncGenerator<FileItem> {
  const before = repeatCounter()
  return objectItems(listedObjects(file, 'message', ['messages']), (value, { around, index, place }) => {
    // An export may lack older messages, so a message is numbered only among those with the same time.
    const position = before(writtenIn(value.timestamp)) + 1
    return [messageOf(value, around, { index, position, place })]
  })
}

function messageOf(
  message: JsonObject,
  around: JsonObject,
  { index, position, place }: { index: number; position: number; place: string },
): ImportEvent {
  const channel = objectIn(around.channel)
  const author = objectIn(message.author)
  const channelId = idIn(channel.id) ?? 'channel'
  const keyOf = (id: string) => recordIdOf('discord message', channelId, id)
  const sourceId = idIn(message.id) ?? `no id ${index}`
  const reply = idIn(objectIn(message.reference).messageId)
  const embeds = objectsIn(message.embeds).flatMap(({ title, description }) => [
    textIn(title),
    textIn(description),
  ])
  return chatRecord('discord_messages', place, {
    id: keyOf(sourceId),
    chat: textIn(channel.name),
    chat_id: recordIdOf('discord channel', channelId),
    sender: textIn(author.nickname) ?? textIn(author.name),
    sender_id: idIn(author.id),
    text: linesIn(textIn(message.content), ...embeds),
    sent_at: instantIn(message.timestamp),
    sent_at_local: textIn(message.timestamp),
    position,
    kind:
      message.type === 'Default' || message.type === 'Reply'
        ? 'message'
        : (textIn(message.type) ?? 'message'),
    reply_to_id: reply === null ? null : keyOf(reply),
    edited_at: instantIn(message.timestampEdited),
    reactions: objectsIn(message.reactions).map(({ emoji, count, users }) => ({
      name: textIn(objectIn(emoji).name) ?? 'reaction',
      count: integerIn(count) ?? 1,
      users: objectsIn(users).flatMap(user => textIn(user.nickname) ?? textIn(user.name) ?? []),
    })),
    attachments: objectsIn(message.attachments).map(({ fileName, fileSizeBytes, url }) => ({
      name: textIn(fileName),
      size_bytes: integerIn(fileSizeBytes),
      url: textIn(url),
    })),
    source_id: idIn(message.id),
    more: { server: textIn(objectIn(around.guild).name) },
  })
}
