import { CodedError } from '../../model/errors.ts'
import { isObject, type Json } from '../../model/json.ts'
import type { ImportEvent } from '../importer.ts'
import { storedFile } from '../reading/attached-files.ts'
import { rejectedFile } from '../reading/file-items.ts'
import { type FoundObject, listedObjects } from '../reading/json-objects.ts'
import { repeatCounter } from '../repeats.ts'
import type { SourceFile } from '../source/source.ts'
import { CHANNEL_LISTS, type Layout } from './layout.ts'
import { messageKey, messageRecord, rawFilesOf, timestampProblem } from './message.ts'
import { type Channel, channelKey, channelRecord, Directory, text, userKey, userRecord } from './people.ts'

/** People and channels first, then the messages of each channel, day by day. */
export async function* readSlack(layout: Layout, from: Json | null): AsyncGenerator<ImportEvent> {
  const directory = new Directory()
  const lists = readLists(layout, directory)
  // The names are always needed, but a resumed reading does not yield the records again.
  for await (const event of lists) if (from === null) yield event

  const start = isObject(from) ? { channel: Number(from.channel), file: Number(from.file) } : null
  const all = layout.channels.reduce((sum, { files }) => sum + files.length, 0)
  let done = 0
  for (const [index, { folder, files }] of layout.channels.entries()) {
    if (start && index < start.channel) {
      done += files.length
      continue
    }
    const channel = directory.channelOfFolder(folder) ?? unlisted(folder)
    const repeats = repeatCounter()
    for (const [at, file] of files.entries()) {
      const silent = start !== null && index === start.channel && at < start.file
      for await (const event of readDay(file, channel, directory, layout, repeats)) if (!silent) yield event
      done++
      if (!silent) yield { kind: 'checkpoint', state: { channel: index, file: at + 1 }, done: done / all }
    }
  }
}

function unlisted(folder: string): Channel {
  return { id: folder, name: folder, kind: 'unknown', folder }
}

async function* readLists(layout: Layout, directory: Directory): AsyncGenerator<ImportEvent> {
  const users = layout.lists.get('users.json')
  if (users) {
    for await (const { rejection, value, place } of itemsOf(users)) {
      if (rejection) yield rejection
      if (!value) continue
      const id = text(value.id)
      if (id === null) {
        yield { kind: 'rejection', place, code: 'no_id', message: 'The user has no id.' }
        continue
      }
      directory.addUser(value)
      const key = userKey(id)
      yield { kind: 'record', stream: 'slack_users', key, data: userRecord(value, key), place }
    }
  }
  for (const list of CHANNEL_LISTS) {
    const file = layout.lists.get(list)
    if (!file) continue
    for await (const { rejection, value, place } of itemsOf(file)) {
      if (rejection) yield rejection
      if (!value) continue
      const known = directory.addChannel(value, list)
      if (known === null) {
        yield { kind: 'rejection', place, code: 'no_id', message: 'The channel has no id.' }
        continue
      }
      const key = channelKey(known.id)
      const data = channelRecord(value, known, key, directory)
      yield { kind: 'record', stream: 'slack_channels', key, data, place }
    }
  }
}

async function* readDay(
  file: SourceFile,
  channel: Channel,
  directory: Directory,
  layout: Layout,
  repeats: (id: string) => number,
): AsyncGenerator<ImportEvent> {
  for await (const { rejection, value, place } of itemsOf(file)) {
    if (rejection) yield rejection
    if (!value) continue
    const problem = timestampProblem(value)
    if (problem) {
      yield { kind: 'rejection', place, ...problem }
      continue
    }
    const blobs = new Map<string, { blob_id: string; size_bytes: number }>()
    for (const raw of rawFilesOf(value)) {
      const id = text(raw.id)
      const upload = id === null ? undefined : layout.uploads.get(id)
      if (id === null || !upload) continue
      const stored = yield* storedFile(upload, undefined, text(raw.mimetype) ?? '')
      if (stored) blobs.set(id, { blob_id: stored.blob_id, size_bytes: stored.size_bytes })
    }
    const key = messageKey(channel, String(value.ts), repeats(String(value.ts)))
    yield {
      kind: 'record',
      stream: 'slack_messages',
      key,
      data: messageRecord(value, key, channel, directory, blobs),
      place,
    }
  }
}

/** The objects of a list file; anything else in it is a rejection. */
async function* itemsOf(
  file: SourceFile,
): AsyncGenerator<Pick<FoundObject, 'value' | 'rejection' | 'place'>> {
  try {
    yield* listedObjects(file, 'item')
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    yield { value: null, rejection: rejectedFile(file, error), place: file.path }
  }
}
