import type { SQLOutputValue } from 'node:sqlite'
import type { JsonObject } from '../../model/json.ts'
import { chatRecord } from '../chat/chat-stream.ts'
import { IMESSAGE } from '../chat/messengers.ts'
import { rejection, TOO_LARGE } from '../events.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { nameIn, storedFiles, type WrittenFile } from '../reading/attached-files.ts'
import {
  type DatabaseCopy,
  filesBeside,
  type Row,
  tableIn,
  unreadableDatabase,
} from '../reading/database-copy.ts'
import { type FileItem, findingOf } from '../reading/exported-files.ts'
import { textIn } from '../reading/json-values.ts'
import { recordIdOf, repeatCounter } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { timesAt } from '../times.ts'
import { attachmentsOf, chatRows, copyOf, messagesIn, prepare, reactionsTo } from './message-database.ts'

const MESSAGE_BYTES = 1_500
/** A table that only the database of the Messages app has: `chat.db` of macOS, `sms.db` of iOS. */
const OWN_TABLES = ['chat_message_join']

export const recognise: Recognise = async (files, source) => {
  const databases: SourceFile[] = []
  for (const file of files) if (await tableIn(file, OWN_TABLES)) databases.push(file)
  if (databases.length === 0) return null
  const byPath = new Map(source.files.map(file => [file.path, file]))
  const beside = [
    ...source.files.filter(({ path }) => isAttachment(path)),
    ...filesBeside(databases, source.files),
  ]
  const attachments = new Map(
    source.files.flatMap(file =>
      isAttachment(file.path) ? [[attachmentKey(file.path), file] as const] : [],
    ),
  )
  const itemsOf = (file: SourceFile) =>
    messageItems(file, byPath.get(`${file.path}-wal`), path => attachments.get(attachmentKey(path)))
  return findingOf(IMESSAGE, databases, MESSAGE_BYTES, () => itemsOf, { beside })
}

function isAttachment(path: string): boolean {
  return /(?:^|\/)Attachments\//.test(path)
}

/** The part of the path that is the same on the owner's Mac and in a copy of the folder. */
function attachmentKey(path: string): string {
  return path.replace(/^.*?(?:^|\/)Attachments\//, '').normalize('NFC')
}

async function* messageItems(
  file: SourceFile,
  log: SourceFile | undefined,
  find: (path: string) => SourceFile | undefined,
): AsyncGenerator<FileItem> {
  await using database = await copyOf(file, log)
  try {
    prepare(database)
    const chats = chatsIn(database)
    const repeats = repeatCounter()
    let items = 0
    for (const row of messagesIn(database)) {
      const place = `${file.path}, message ${row.number}`
      const position = repeats(placeInTime(row)) + 1
      const end = Math.min(file.size, ++items * MESSAGE_BYTES)
      if (row.is_too_large === 1) yield { events: () => [rejection(place, TOO_LARGE)], end }
      else yield { events: () => messageEvents(row, { database, chats, position, place, find }), end }
    }
  } catch (error) {
    throw unreadableDatabase(file, error)
  }
}

interface Chat {
  id: string
  name: string | null
}

const YEAR_2001 = Date.UTC(2001, 0, 1)
const YOU = 'You'
/** Reactions by number modulo 1000. The thousands say whether one was added (2) or removed (3). */
const REACTIONS = ['❤️', '👍', '👎', '😂', '‼️', '❓']
const REMOVED = 3000
const STICKER = 1000
/** The placeholder for an attachment in the text. */
const ATTACHED = /\ufffc/g

/** The chats by their number. SMS and iMessage with the same person are one chat. */
function chatsIn(database: DatabaseCopy): ReadonlyMap<SQLOutputValue, Chat> {
  const chats = new Map<SQLOutputValue, Chat>()
  for (const { number = null, chat_identifier, display_name, people } of chatRows(database)) {
    const identifier = textIn(chat_identifier) ?? String(number)
    const name = textIn(display_name) ?? textIn(people) ?? textIn(chat_identifier)
    chats.set(number, { id: recordIdOf('imessage chat', identifier), name })
  }
  return chats
}

/** The same key for all messages of a chat with the same time. */
function placeInTime({ chat, sent }: Row): string {
  return `${chat} ${sent}`
}

async function* messageEvents(
  row: Row,
  facts: {
    database: DatabaseCopy
    chats: ReadonlyMap<SQLOutputValue, Chat>
    position: number
    place: string
    find: (path: string) => SourceFile | undefined
  },
): AsyncGenerator<ImportEvent> {
  const { database, chats, position, place, find } = facts
  const guid = textIn(row.guid)
  const isOwn = row.is_from_me === 1
  const handle = textIn(row.handle)
  const chat = chats.get(row.chat ?? null) ?? { id: recordIdOf('imessage chat', handle ?? ''), name: handle }
  const answered = textIn(row.thread_originator_guid)
  yield chatRecord('imessage_messages', place, {
    id: idOf(guid ?? `${row.number}`),
    chat: chat.name,
    chat_id: chat.id,
    sender: isOwn ? YOU : handle,
    sender_id: isOwn ? textIn(row.destination_caller_id) : handle,
    text: wordsOf(row),
    sent_at: timeOf(row.sent),
    position,
    kind: kindOf(row),
    reply_to_id: answered === null ? null : idOf(answered),
    edited_at: timeOf(row.edited),
    reactions: guid === null ? [] : reactionsOf(reactionsTo(database, guid)),
    attachments: yield* storedFiles([...attachmentsOf(database, Number(row.number))].map(attached)),
    source_id: guid,
    more: { subject: textIn(row.subject), service: textIn(row.service), is_from_me: isOwn },
  })

  function attached(row: Row): [SourceFile | undefined, WrittenFile] {
    const path = textIn(row.filename)
    const name = textIn(row.transfer_name) ?? (path === null ? null : nameIn(path))
    const size_bytes = typeof row.total_bytes === 'number' && row.total_bytes > 0 ? row.total_bytes : null
    return [path === null ? undefined : find(path), { name, mime_type: textIn(row.mime_type), size_bytes }]
  }
}

function idOf(guid: string): string {
  return recordIdOf('imessage message', guid)
}

/** The text, which newer versions of macOS store only as an attributed string, or else the new name of a group. */
function wordsOf({ text, body, group_title }: Row): string | null {
  const written = textIn(text) ?? (body instanceof Uint8Array ? typedText(Buffer.from(body)) : null)
  return written?.replace(ATTACHED, '').trim() || textIn(group_title)
}

function kindOf({ item_type, is_unsent, associated }: Row): string {
  if (is_unsent === 1) return 'unsent'
  if (typeof item_type === 'number' && item_type !== 0) return 'system'
  return associated === STICKER ? 'sticker' : 'message'
}

function timeOf(milliseconds: SQLOutputValue | undefined): string | null {
  if (typeof milliseconds !== 'number' || milliseconds === 0) return null
  return timesAt(YEAR_2001 + milliseconds, 0)?.utc ?? null
}

/** The remaining reactions, after removals. */
function reactionsOf(rows: Iterable<Row>): JsonObject[] {
  const users = new Map<string, Set<string>>()
  for (const { type, emoji, is_from_me, handle } of rows) {
    const number = Number(type)
    const name = textIn(emoji) ?? REACTIONS[number % 1000] ?? 'reaction'
    const user = is_from_me === 1 ? YOU : (textIn(handle) ?? '')
    const of = users.get(name) ?? new Set()
    if (number < REMOVED) users.set(name, of.add(user))
    else of.delete(user)
  }
  return [...users]
    .filter(([, of]) => of.size > 0)
    .map(([name, of]) => ({ name, count: of.size, users: [...of] }))
}

const STRING_CLASS = Buffer.from('NSString')
/** Starts a value of the type "bytes": a length and the bytes follow. */
const BYTES_FOLLOW = Buffer.from([0x84, 0x01, 0x2b])
const MOST_BETWEEN = 16

/** The text of an attributed string as Apple's typed streams store it (`attributedBody`); null if there is none. */
function typedText(stream: Buffer): string | null {
  const name = stream.indexOf(STRING_CLASS)
  if (name === -1) return null
  const mark = stream.indexOf(BYTES_FOLLOW, name)
  if (mark === -1 || mark - name > STRING_CLASS.length + MOST_BETWEEN) return null
  const at = mark + BYTES_FOLLOW.length
  const [length, start] = lengthAt(stream, at)
  return start + length > stream.length ? null : stream.toString('utf8', start, start + length)
}

/** Reads a length of one byte, or of two or four bytes after a marker, and returns where the bytes begin. */
function lengthAt(stream: Buffer, at: number): [length: number, start: number] {
  const first = stream[at] ?? 0
  if (first === 0x81 && at + 3 <= stream.length) return [stream.readUInt16LE(at + 1), at + 3]
  if (first === 0x82 && at + 5 <= stream.length) return [stream.readUInt32LE(at + 1), at + 5]
  return first < 0x80 ? [first, at + 1] : [stream.length, at]
}
