import type { SQLOutputValue } from 'node:sqlite'
import type { JsonObject } from '../../model/json.ts'
import { chatRecord } from '../chat/chat-stream.ts'
import type { ImportEvent } from '../importer.ts'
import { nameIn, storedFiles, type WrittenFile } from '../reading/attached-files.ts'
import type { DatabaseCopy, Row } from '../reading/database-copy.ts'
import { textIn } from '../reading/json-values.ts'
import { recordIdOf } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { timesAt } from '../times.ts'
import { attachmentsOf, chatRows, reactionsTo } from './message-database.ts'

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
export function chatsIn(database: DatabaseCopy): ReadonlyMap<SQLOutputValue, Chat> {
  const chats = new Map<SQLOutputValue, Chat>()
  for (const { number = null, chat_identifier, display_name, people } of chatRows(database)) {
    const identifier = textIn(chat_identifier) ?? String(number)
    const name = textIn(display_name) ?? textIn(people) ?? textIn(chat_identifier)
    chats.set(number, { id: recordIdOf('imessage chat', identifier), name })
  }
  return chats
}

/** The same key for all messages of a chat with the same time. */
export function placeInTime({ chat, sent }: Row): string {
  return `${chat} ${sent}`
}

export async function* messageEvents(
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
