import { IMESSAGE } from '../chat/messengers.ts'
import { rejection, TOO_LARGE } from '../events.ts'
import type { Recognise } from '../importer.ts'
import { filesBeside, tableIn, unreadableDatabase } from '../reading/database-copy.ts'
import { type FileItem, findingOf } from '../reading/exported-files.ts'
import { repeatCounter } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { chatsIn, messageEvents, placeInTime } from './message.ts'
import { copyOf, messagesIn, prepare } from './message-database.ts'

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
