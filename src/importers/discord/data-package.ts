import type { JsonObject } from '../../model/json.ts'
import { chatRecord } from '../chat/chat-message.ts'
import type { ImportEvent } from '../importer.ts'
import { folderIn } from '../reading/attached-files.ts'
import type { FileItem } from '../reading/file-items.ts'
import { listedItems, wholeObject } from '../reading/json-objects.ts'
import { idIn, objectIn, textIn, textsIn } from '../reading/json-values.ts'
import { recordIdOf } from '../record-id.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { csvRows } from '../table/csv.ts'
import { parseWrittenTime } from '../written-time.ts'

/** The data that Discord sends on request: the person's own messages, in a folder for each channel. */
export interface DataPackage {
  messages: SourceFile[]
  /** `channel.json` by the folder of the channel. */
  channels: Map<string, SourceFile>
  user: SourceFile | null
}

const MESSAGES = /(?:^|\/)messages\/c?\d+\/messages\.(?:json|csv)$/i

export function isPackageFile({ path }: SourceFile): boolean {
  return (
    MESSAGES.test(path) || /(?:^|\/)(?:messages\/(?:c?\d+\/channel|index)|account\/user)\.json$/i.test(path)
  )
}

export function packageOf(source: Source): DataPackage {
  const channels = new Map<string, SourceFile>()
  for (const file of source.files)
    if (/\/channel\.json$/.test(file.path)) channels.set(folderIn(file.path), file)
  const messages = source.files.filter(({ path }) => MESSAGES.test(path) && channels.has(folderIn(path)))
  const user = source.files.find(({ path }) => /(?:^|\/)account\/user\.json$/i.test(path)) ?? null
  return { messages, channels, user }
}

export async function* packageItems(file: SourceFile, own: DataPackage): AsyncGenerator<FileItem> {
  const described = own.channels.get(folderIn(file.path))
  const channel = (described && (await wholeObject(described)).value) || {}
  const user = (own.user && (await wholeObject(own.user)).value) || {}
  const sender = textIn(user.global_name) ?? textIn(user.username) ?? 'You'
  const facts = { channel, sender, sender_id: idIn(user.id) }
  if (/\.csv$/i.test(file.path)) {
    let header: string[] | null = null
    for await (const { cells, line, end, problem } of csvRows(file.open(), ',')) {
      if (problem) continue
      if (!header) {
        header = cells
        continue
      }
      const names: string[] = header
      const row = Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']))
      yield { events: () => [messageOf(row, facts, `${file.path}, line ${line}`)], end }
    }
    return
  }
  yield* listedItems(file, 'message', [], (value, { place }) => [messageOf(value, facts, place)])
}

function messageOf(
  row: JsonObject,
  { channel, sender, sender_id }: { channel: JsonObject; sender: string; sender_id: string | null },
  place: string,
): ImportEvent {
  const channelId = idIn(channel.id) ?? 'channel'
  const sourceId = idIn(row.ID) ?? ''
  const sent = parseWrittenTime(textIn(row.Timestamp) ?? '', null)
  const people = textsIn(channel.recipients).filter(id => id !== sender_id)
  const attachments = (textIn(row.Attachments) ?? '').split(/\s+/).filter(url => url !== '')
  return chatRecord(
    'discord_messages',
    {
      id: recordIdOf('discord message', channelId, sourceId),
      chat: textIn(channel.name) ?? (people.length > 0 ? `Direct message with ${people.join(', ')}` : null),
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
    },
    place,
    { server: textIn(objectIn(channel.guild).name) },
  )
}
