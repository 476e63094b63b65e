import { percentDecoded } from '../../model/percent-decoded.ts'
import { chatRecord } from '../chat/chat-stream.ts'
import type { ImportEvent } from '../importer.ts'
import { folderIn, nameIn, storedFiles } from '../reading/attached-files.ts'
import type { FileItem } from '../reading/exported-files.ts'
import { headText } from '../reading/head.ts'
import { cellsOf, insideOf } from '../reading/html-cells.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { recordIdOf } from '../record-id.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { parseWrittenTime, type WrittenTime } from '../written-time.ts'
import { dayIn, type PageMessage, pageMessage } from './page-message.ts'

const MESSAGE = '<div class="message '

interface PageChat {
  name: string | null
  /**
   * Pages do not contain the id of the chat, so it is identified by its name, plus its folder if another chat has the
   * same name.
   */
  id: string
}

type PageChats = (file: SourceFile) => Promise<PageChat>

export function pageChats(pages: readonly SourceFile[]): PageChats {
  let names: Promise<Map<string, string | null>> | null = null
  return async file => {
    names ??= namesOf(pages)
    const byFolder = await names
    const folder = folderIn(file.path)
    const name = byFolder.get(folder) ?? null
    const [first] = [...byFolder].find(([, other]) => other === name) ?? [folder]
    return { name, id: `page ${name ?? ''}${first === folder ? '' : ` ${nameIn(folder.slice(0, -1))}`}` }
  }
}

async function namesOf(pages: readonly SourceFile[]): Promise<Map<string, string | null>> {
  const names = new Map<string, string | null>()
  for (const file of pages) {
    const folder = folderIn(file.path)
    if (names.has(folder)) continue
    const header = insideOf(await headText(file), '<div class="text bold"', '</div>')
    names.set(folder, header === null ? null : textOfHtml(header).trim() || null)
  }
  return names
}

export async function* pageItems(
  file: SourceFile,
  chats: PageChats,
  { timeZone }: Source,
  byPath: ReadonlyMap<string, SourceFile>,
): AsyncGenerator<FileItem> {
  const chat = await chats(file)
  const timeOf = (written: string) => parseWrittenTime(written, 'day-first', timeZone)
  let sender: string | null = null
  let time: WrittenTime | null = null
  for await (const { html, index, end } of cellsOf(file, MESSAGE)) {
    const message = pageMessage(html)
    const day = dayIn(message)
    if (day !== null) time = timeOf(day) ?? time
    else {
      if (!message.isJoined) sender = message.sender
      time = timeOf(message.written ?? '') ?? time
      const known = {
        chat,
        sender,
        time,
        place: `${file.path}, message ${message.number ?? index + 1}`,
        index,
      }
      yield { events: () => messageEvents(message, known, file, byPath), end }
    }
  }
}

interface Known {
  chat: PageChat
  sender: string | null
  /** A service message has no time of its own; it gets the time of the message or date line before it. */
  time: WrittenTime | null
  place: string
  index: number
}

async function* messageEvents(
  message: PageMessage,
  { chat, sender, time, place, index }: Known,
  page: SourceFile,
  byPath: ReadonlyMap<string, SourceFile>,
): AsyncGenerator<ImportEvent> {
  const keyOf = (number: string) => recordIdOf('telegram message', chat.id, number)
  const beside = (path: string) => byPath.get(folderIn(page.path) + path)
  const attachments = yield* storedFiles(
    message.files.map(({ path, name }) => [
      path === null ? undefined : (beside(path) ?? beside(percentDecoded(path))),
      { name, mime_type: null, size_bytes: null },
    ]),
  )
  yield chatRecord('telegram_messages', place, {
    id: keyOf(String(message.number ?? `${page.path} ${index}`)),
    chat: chat.name,
    chat_id: recordIdOf('telegram chat', chat.id),
    sender: message.isService ? null : sender,
    text: message.text,
    sent_at: time?.utc ?? null,
    sent_at_local: time?.local ?? null,
    position: message.number ?? index + 1,
    kind: message.kind,
    reply_to_id: message.replyTo === null ? null : keyOf(message.replyTo),
    reactions: message.reactions,
    attachments,
    source_id: message.number === null ? null : String(message.number),
    more: { forwarded_from: message.forwardedFrom, chat_kind: null },
  })
}
