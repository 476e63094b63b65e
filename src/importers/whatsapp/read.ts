import { chatRecord } from '../chat/chat-stream.ts'
import { rejection } from '../events.ts'
import type { ImportEvent } from '../importer.ts'
import { folderIn, nameIn, storedFiles } from '../reading/attached-files.ts'
import type { FileItem, ItemsOf } from '../reading/exported-files.ts'
import { recordIdOf, repeatCounter, repeatedId } from '../record-id.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { dayOrderOf, messagesOf, type WrittenMessage } from './messages.ts'

/** `<attached: photo.jpg>` and `photo.jpg (file attached)`, in every language. */
const ATTACHED = [
  /^<[^<>:]{2,30}:\s?([^<>/\\]{1,200}\.\w{2,5})>$/u,
  /^([^/\\<>]{1,200}\.\w{2,5}) \([^()]{3,40}\)$/u,
]
/** On an iPhone the caption comes before: `Our bread \u200e<attached: photo.jpg>`. */
const ATTACHED_AFTER = /^([\s\S]*?)\s?\u200e(<[^<>:]{2,30}:[^<>/\\]{1,200}\.\w{2,5}>)$/u

export function chatReader(source: Source): ItemsOf {
  const byPath = new Map(source.files.map(file => [file.path, file]))
  return file => chatItems(file, source, byPath)
}

async function* chatItems(
  file: SourceFile,
  source: Source,
  byPath: ReadonlyMap<string, SourceFile>,
): AsyncGenerator<FileItem> {
  const chat = chatNameOf(file, source)
  const chat_id = recordIdOf('whatsapp chat', chat)
  const repeats = dailyRepeats()
  let stamp = ''
  let position = 0
  for await (const message of messagesOf(file, await dayOrderOf(file), source.timeZone ?? 'UTC')) {
    position = message.stamp.written === stamp ? position + 1 : 1
    stamp = message.stamp.written
    const facts = ['whatsapp message', chat, stamp, message.sender ?? '', message.text ?? '']
    const repeat = repeats(message.stamp.day.join('.'), facts.join('\n'))
    const id = repeatedId(repeat, ...facts)
    const at = { id, chat, chat_id, position }
    yield { events: () => eventsOf(message, at, file, byPath), end: message.end }
  }
}

const DAYS_HELD = 8

/**
 * Counts per day, and only for the latest days, so that a long chat needs little memory. Earlier days reappear only
 * if the clock of the phone was changed.
 */
function dailyRepeats(): (day: string, id: string) => number {
  const days = new Map<string, (id: string) => number>()
  return (day, id) => {
    let repeats = days.get(day)
    if (!repeats) {
      const [oldest] = days.keys()
      if (days.size === DAYS_HELD && oldest !== undefined) days.delete(oldest)
      repeats = repeatCounter()
      days.set(day, repeats)
    }
    return repeats(id)
  }
}

async function* eventsOf(
  message: WrittenMessage,
  at: { id: string; chat: string; chat_id: string; position: number },
  file: SourceFile,
  byPath: ReadonlyMap<string, SourceFile>,
): AsyncGenerator<ImportEvent> {
  const { sender, sent_at, sent_at_local } = message
  const place = `${file.path}, line ${message.line}`
  if (message.text === null) {
    const message = 'The message is longer than 4 million characters.'
    yield rejection(place, { code: 'item_too_large', message })
    return
  }
  const { name, text } = contentOf(message.text)
  const attachments = yield* storedFiles(
    name === null ? [] : [[byPath.get(folderIn(file.path) + name), { name }]],
  )
  const kind = sender === null ? 'system' : 'message'
  const written = {
    ...at,
    sender,
    text: text === '' ? null : text,
    sent_at,
    sent_at_local,
    kind,
    attachments,
  }
  yield chatRecord('whatsapp_messages', place, written)
}

/** The text without the name of the attached file. */
function contentOf(written: string): { name: string | null; text: string } {
  const [first = '', ...rest] = written.split('\n')
  const name = attachedIn(first)
  if (name !== null) return { name, text: rest.join('\n') }
  const [, caption = '', after = ''] = ATTACHED_AFTER.exec(written) ?? []
  return after === '' ? { name: null, text: written } : { name: attachedIn(after), text: caption }
}

export function attachedIn(line: string): string | null {
  const plain = line.replace(/[\u200e\u200f]/g, '').trim()
  return ATTACHED.map(pattern => pattern.exec(plain)?.[1]).find(name => name !== undefined) ?? null
}

const OF_CHAT =
  /^(?=.*(?:whatsapp|واتساب)).*?\s(?:-|with|mit|con|com|avec|met|med|ile|с|z|kanssa|と|与|與|עם|مع)\s+(.+)$/iu

/** Whether WhatsApp has named the file: `_chat.txt`, `WhatsApp Chat with Ben.txt`. */
export function isNamedChat({ path }: SourceFile): boolean {
  return /^_chat\.txt$/.test(nameIn(path)) || OF_CHAT.test(nameIn(path))
}

/** The name of a chat comes from the name of its file, or of the archive or folder that contains `_chat.txt`. */
export function chatNameOf(file: SourceFile, source: Source): string {
  const name = nameIn(file.path).replace(/\.txt$/i, '')
  const folder = nameIn(folderIn(file.path).slice(0, -1))
  const around = folder === '' && source.kind !== 'file' ? source.name : folder
  const told = /^_chat$/.test(name) && around !== '' ? around : name
  const plain = told.normalize('NFC').replace(/\s?\(\d+\)$/, '')
  return OF_CHAT.exec(plain)?.[1] ?? plain
}
