import { CodedError } from '../../model/errors.ts'
import { isObject, type JsonObject, parseJson } from '../../model/json.ts'
import { rejection } from '../events.ts'
import type { Finding, ImportEvent, Lookalike, Recognise } from '../importer.ts'
import { jsonItems } from '../json-items.ts'
import { storedFile } from '../reading/attached-files.ts'
import { type FileItem, findingOf, type ItemsOf, inOrder } from '../reading/exported-files.ts'
import { headText } from '../reading/head.ts'
import { listedObjects, objectItems } from '../reading/json-objects.ts'
import { repeatCounter } from '../record-id.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { SLACK } from './declaration.ts'
import { hasTimestamp, messageKey, messageRecord, rawFilesOf } from './message.ts'
import { type Channel, channelKey, channelRecord, Directory, text, userKey, userRecord } from './people.ts'

const MESSAGE_BYTES = 450
/** The name of the archive begins with the workspace: `Acme Slack export Jan 1 2026 - Feb 1 2026`. */
const NAMED_EXPORT = /^(.+?)[ _]Slack[ _]export[ _]/i

export const recognise: Recognise = async (_, source) => {
  const layout = await layoutOf(source)
  if (layout === null || 'lookalike' in layout) return layout
  const days = layout.channels.flatMap(({ files }) => files)
  return findingOf(SLACK, [...layout.lists.values(), ...days], MESSAGE_BYTES, () => slackReader(layout), {
    beside: [...layout.uploads.values(), ...layout.others],
    span: spanOf(days),
    account: await workspaceOf(layout),
    name: NAMED_EXPORT.exec(source.name)?.[1] ?? null,
  })
}

/** The first and last day, from the names of the files. */
function spanOf(days: readonly SourceFile[]): Finding['span'] {
  const dates = days.flatMap(({ path }) => /(\d{4}-\d{2}-\d{2})\.json$/.exec(path)?.[1] ?? []).sort()
  const [first] = dates
  const last = dates.at(-1)
  return first && last ? { first: `${first}T00:00:00Z`, last: `${last}T23:59:59Z` } : null
}

/** The id of the workspace, from its users. Guests of shared channels have a different one. */
async function workspaceOf(layout: Layout): Promise<string | null> {
  const users = layout.lists.get('users.json')
  if (!users) return null
  try {
    for await (const { value: user } of listedObjects(users, 'item'))
      if (user && user.is_stranger !== true && text(user.team_id)) return text(user.team_id)
  } catch {
    // The problem is reported when the file is read.
  }
  return null
}

/** How the lists and the days of an export are read. The names in the lists are needed for all messages. */
async function slackReader({ lists, channels, uploads }: Layout): Promise<ItemsOf> {
  const directory = await directoryOf(lists)
  const readers = new Map<SourceFile, ItemsOf>()
  for (const [list, file] of lists) readers.set(file, () => listItems(file, list, directory))
  for (const { folder, files } of channels) {
    const channel = directory.channelOfFolder(folder) ?? { id: folder, name: folder, kind: 'unknown', folder }
    const repeats = repeatCounter()
    const reader = inOrder(files, file => dayItems(file, channel, directory, uploads, repeats))
    for (const file of files) readers.set(file, reader)
  }
  return file => (readers.get(file) as ItemsOf)(file)
}

async function directoryOf(lists: Layout['lists']): Promise<Directory> {
  const directory = new Directory()
  for (const [list, file] of lists) {
    try {
      for await (const { value } of listedObjects(file, 'item')) {
        if (value && list === 'users.json') directory.addUser(value)
        else if (value) directory.addChannel(value, list)
      }
    } catch (error) {
      // The problem is reported when the list itself is read.
      if (!(error instanceof CodedError)) throw error
    }
  }
  return directory
}

function listItems(file: SourceFile, list: string, directory: Directory): AsyncGenerator<FileItem> {
  const recordOf = list === 'users.json' ? userEvent : channelEvent
  return objectItems(listedObjects(file, 'item'), (value, { place }) => [recordOf(value, place)])

  function userEvent(value: JsonObject, place: string): ImportEvent {
    const id = text(value.id)
    if (id === null) return rejection(place, { code: 'no_id', message: 'The user has no id.' })
    const key = userKey(id)
    return { kind: 'record', stream: 'slack_users', key, data: userRecord(value, key), place }
  }

  function channelEvent(value: JsonObject, place: string): ImportEvent {
    const known = directory.channelIn(value, list)
    if (known === null) return rejection(place, { code: 'no_id', message: 'The channel has no id.' })
    const key = channelKey(known.id)
    const data = channelRecord(value, known, key, directory)
    return { kind: 'record', stream: 'slack_channels', key, data, place }
  }
}

function dayItems(
  file: SourceFile,
  channel: Channel,
  directory: Directory,
  uploads: Layout['uploads'],
  repeats: (id: string) => number,
): AsyncGenerator<FileItem> {
  return objectItems(listedObjects(file, 'item'), (value, { place }) => {
    if (!hasTimestamp(value)) {
      const message = 'The message has no valid "ts", which is its id in Slack.'
      return [rejection(place, { code: 'no_time', message })]
    }
    const key = messageKey(channel, String(value.ts), repeats(String(value.ts)))
    return messageEvents(value, key, place)
  })

  async function* messageEvents(
    message: JsonObject,
    key: string,
    place: string,
  ): AsyncGenerator<ImportEvent> {
    const blobs = new Map<string, { blob_id: string; size_bytes: number }>()
    for (const raw of rawFilesOf(message)) {
      const id = text(raw.id)
      const upload = id === null ? undefined : uploads.get(id)
      const stored = yield* storedFile(upload, undefined, text(raw.mimetype) ?? '')
      if (id !== null && stored) blobs.set(id, stored)
    }
    const data = messageRecord(message, key, channel, directory, blobs)
    yield { kind: 'record', stream: 'slack_messages', key, data, place }
  }
}

/** The files of an export, by role. */
interface Layout {
  /** The root folder of the export, with a `/` at its end; empty if it is the source itself. */
  root: string
  /** The folders of channels with their files, in the order of days. */
  channels: { folder: string; files: SourceFile[] }[]
  /** `users.json` and the lists of channels, by name; people come first. */
  lists: Map<string, SourceFile>
  /** Uploaded files by Slack's id, if the export includes them. */
  uploads: Map<string, SourceFile>
  /** Other JSON files of the export; they are not imported. */
  others: SourceFile[]
}

const LISTS = ['users.json', 'channels.json', 'groups.json', 'dms.json', 'mpims.json']
const DAY = /^\d{4}-\d{2}-\d{2}\.json$/

/** Null if no file resembles a day of messages. */
async function layoutOf(source: Source): Promise<Layout | Lookalike | null> {
  const roots = new Map<string, Map<string, SourceFile[]>>()
  let dayNamed: SourceFile | null = null
  for (const file of source.files) {
    const parts = file.path.split('/')
    const name = parts.pop() ?? ''
    const channel = parts.pop()
    if (channel === undefined || !/\.json$/i.test(name)) continue
    if (DAY.test(name)) dayNamed ??= file
    if (!(await holdsMessages(file, DAY.test(name)))) continue
    const root = parts.map(part => `${part}/`).join('')
    const channels = roots.get(root) ?? new Map<string, SourceFile[]>()
    channels.set(channel, [...(channels.get(channel) ?? []), file])
    roots.set(root, channels)
  }
  const largest = [...roots].sort((a, b) => fileCount(b[1]) - fileCount(a[1]))[0]
  if (!largest) return dayNamed ? notSlack(dayNamed) : null
  const [root, channels] = largest
  const found = new Map<string, SourceFile>()
  const uploads = new Map<string, SourceFile>()
  const others: SourceFile[] = []
  const days = new Set([...channels.values()].flat())
  for (const file of source.files) {
    if (!file.path.startsWith(root)) continue
    const relative = file.path.slice(root.length)
    if (LISTS.includes(relative)) found.set(relative, file)
    else if (/\.json$/i.test(relative) && !days.has(file)) others.push(file)
    const upload = /^(?:.*\/)?(F[A-Z0-9]{8,})(?:[-_/][^/]*)$/.exec(relative)?.[1]
    if (upload) uploads.set(upload, file)
  }
  return {
    root,
    channels: [...channels].map(([folder, files]) => ({ folder, files })),
    lists: new Map([...found].sort(([one], [other]) => LISTS.indexOf(one) - LISTS.indexOf(other))),
    uploads,
    others,
  }
}

function fileCount(channels: Map<string, SourceFile[]>): number {
  return [...channels.values()].reduce((sum, files) => sum + files.length, 0)
}

function notSlack(file: SourceFile): Lookalike {
  const lookalike = `${file.path} is named like a day of messages in a Slack export, but contains no messages.`
  return { lookalike, files: [] }
}

/**
 * Whether the file is a list of objects with Slack's `ts`; an empty list is accepted if the file is named like a day.
 */
async function holdsMessages(file: SourceFile, isDay: boolean): Promise<boolean> {
  const head = (await headText(file)).trimStart()
  if (!head.startsWith('[')) return false
  if (isDay && /^\[\s*\]\s*$/.test(head)) return true
  if (/"ts"\s*:\s*"\d{9,11}\.\d{6}"/.test(head)) return /"(type|user|bot_id|text)"\s*:/.test(head)
  if (file.size <= head.length || !isDay) return false
  // The first message is longer than the head.
  for await (const item of jsonItems(file.open())) {
    try {
      const first = parseJson(item.text ?? '')
      return isObject(first) && typeof first.ts === 'string' && typeof first.type === 'string'
    } catch {
      if (item.index > 20) return false
    }
  }
  return false
}
