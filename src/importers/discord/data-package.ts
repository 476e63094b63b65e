import type { JsonObject } from '../../model/json.ts'
import { chatRecord } from '../chat/chat-stream.ts'
import type { ImportEvent } from '../importer.ts'
import { folderIn } from '../reading/attached-files.ts'
import type { FileItem } from '../reading/exported-files.ts'
import { listedObjects, objectItems, wholeObject } from '../reading/json-objects.ts'
import { idIn, objectIn, textIn, textsIn } from '../reading/json-values.ts'
import { recordIdOf } from '../record-id.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { csvRecords } from '../table/csv.ts'
import { parseWrittenTime } from '../written-time.ts'

/**
 * The data that Discord sends on request: the person's own messages, in a folder for each channel. The names of the
 * other folders are in the person's language.
 */
interface DataPackage {
  messages: SourceFile[]
  /** `channel.json` by the folder of the channel. */
  channels: Map<string, SourceFile>
  /** The names of all channels by their ids. */
  index(): Promise<JsonObject>
  user(): Promise<JsonObject>
  /** Everything in the package: also activity, servers and advertising. */
  files: SourceFile[]
}

const MESSAGES = /^(?:(?<root>.*)\/)?(?<folder>[^/]+)\/c?\d+\/messages\.(?:json|csv)$/i

export function packageOf(source: Source): DataPackage {
  const channels = new Map<string, SourceFile>()
  for (const file of source.files)
    if (/\/channel\.json$/.test(file.path)) channels.set(folderIn(file.path), file)
  const messages = source.files.filter(({ path }) => MESSAGES.test(path) && channels.has(folderIn(path)))
  const { root = '', folder = '' } = MESSAGES.exec(messages[0]?.path ?? '')?.groups ?? {}
  const top = root === '' ? '' : `${root}/`
  const within = source.files.filter(({ path }) => path.startsWith(top))
  const index = within.find(({ path }) => path === `${top}${folder}/index.json`)
  const user = within.find(({ path }) => /^[^/]+\/user\.json$/i.test(path.slice(top.length)))
  const parts = [...messages, ...channels.values(), ...(index ? [index] : [])]
  const files = messages.length === 0 ? [] : user ? within : parts
  return { messages, channels, index: readOnce(index), user: readOnce(user), files }
}

/** The object of a small file, which is needed for every channel. */
function readOnce(file: SourceFile | undefined): () => Promise<JsonObject> {
  let read: Promise<JsonObject> | null = null
  return () => {
    read ??= file ? wholeObject(file).then(({ value }) => value ?? {}) : Promise.resolve({})
    return read
  }
}

export async function* packageItems(file: SourceFile, own: DataPackage): AsyncGenerator<FileItem> {
  const described = own.channels.get(folderIn(file.path))
  const channel = (described && (await wholeObject(described)).value) || {}
  const user = await own.user()
  const sender = textIn(user.global_name) ?? textIn(user.username) ?? 'You'
  const names = await own.index()
  const facts = { channel, name: textIn(names[idIn(channel.id) ?? '']), sender, sender_id: idIn(user.id) }
  if (/\.csv$/i.test(file.path)) {
    for await (const { row, line, end } of csvRecords(file.open()))
      yield { events: () => [messageOf(row, facts, `${file.path}, line ${line}`)], end }
    return
  }
  const messages = listedObjects(file, 'message')
  yield* objectItems(messages, (value, { place }) => [messageOf(value, facts, place)])
}

interface ChannelFacts {
  channel: JsonObject
  /** `Direct Message with ben#0` */
  name: string | null
  sender: string
  sender_id: string | null
}

function messageOf(
  row: JsonObject,
  { channel, name, sender, sender_id }: ChannelFacts,
  place: string,
): ImportEvent {
  const channelId = idIn(channel.id) ?? 'channel'
  const sourceId = idIn(row.ID) ?? ''
  const sent = parseWrittenTime(textIn(row.Timestamp) ?? '', null)
  const people = textsIn(channel.recipients).filter(id => id !== sender_id)
  const attachments = (textIn(row.Attachments) ?? '').split(/\s+/).filter(url => url !== '')
  return chatRecord('discord_messages', place, {
    id: recordIdOf('discord message', channelId, sourceId),
    chat:
      textIn(channel.name) ?? name ?? (people.length > 0 ? `Direct message with ${people.join(', ')}` : null),
    chat_id: recordIdOf('discord channel', channelId),
    sender,
    sender_id,
    text: textIn(row.Contents),
    sent_at: sent?.utc ?? null,
    sent_at_local: textIn(row.Timestamp),
    position: 1,
    kind: 'message',
    attachments: attachments.map(url => ({ name: /([^/?]+)(?:\?.*)?$/.exec(url)?.[1] ?? null, url })),
    source_id: sourceId,
    more: { server: textIn(objectIn(channel.guild).name) },
  })
}
