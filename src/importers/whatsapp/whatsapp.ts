import { WHATSAPP } from '../chat/messengers.ts'
import { type Begin, chatItems, messagesIn, type WrittenMessage } from '../chat/written-chat.ts'
import type { Recognise } from '../importer.ts'
import { folderIn, nameIn } from '../reading/attached-files.ts'
import { findingOf, type ItemsOf, sharedName } from '../reading/exported-files.ts'
import { headText } from '../reading/head.ts'
import { linesOf } from '../reading/text-lines.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { tellingName } from '../source/telling-name.ts'
import { type DayOrder, DayOrders, dayOf } from './day-order.ts'
import { halfIn, stampOf } from './stamp.ts'

const MESSAGE_BYTES = 90
const OTHER_FORMATS = /\.(csv|tsv|json|jsonl|md|html?|ics|vcf|eml|mbox)$/i
/** The log of a program looks similar, but has log levels instead of senders. */
const LOG_LEVEL = /^(?:[\w.-]+\.)?(?:trace|debug|info|notice|warn|warning|error|critical|fatal|alert)$/i

export const recognise: Recognise = async (signed, source) => {
  const chats: SourceFile[] = []
  for (const file of signed) if (await isChat(file)) chats.push(file)
  if (chats.length === 0) return null
  const folders = new Set(chats.map(({ path }) => folderIn(path)))
  // The zip of a chat contains its files and nothing else; a folder may contain anything.
  const exports = new Set(
    chats.filter(chat => source.kind === 'zip' && isNamedChat(chat)).map(({ path }) => folderIn(path)),
  )
  const files = source.files.filter(
    file =>
      chats.includes(file) ||
      (folders.has(folderIn(file.path)) && isMedia(file)) ||
      exports.has(folderIn(file.path)),
  )
  const chat = await sharedName(chats, async file => chatNameOf(file, source))
  return findingOf(WHATSAPP, chats, MESSAGE_BYTES, () => chatReader(source), {
    files,
    name: chat && tellingName(chat, WHATSAPP.display.name),
  })
}

/** `IMG-20201231-WA0001.jpg` and `00000012-PHOTO-2020-12-31-22-05-09.jpg`. */
function isMedia({ path }: SourceFile): boolean {
  return /-WA\d+\.\w+$|(?<!\d)\d{6,}-[A-Z]+-\d{4}(-\d\d){5}\.\w+$/.test(path)
}

/** At least 2 lines and a tenth of all lines must begin with a date. A single dated line proves nothing. */
async function isChat(file: SourceFile): Promise<boolean> {
  if (OTHER_FORMATS.test(file.path)) return false
  const lines = (await headText(file)).split(/\r?\n/)
  const stamps = lines.flatMap(line => stampOf(line) ?? [])
  if (stamps.length < 2 || stamps.length < lines.length / 10) return false
  const spoken = stamps.filter(({ rest }) => /^[^:]{1,100}:/.test(rest))
  const levels = spoken.filter(({ rest }) => LOG_LEVEL.test(rest.split(':')[0]?.trim() ?? ''))
  const isLog = levels.length > spoken.length / 2
  return !isLog && (spoken.length > 0 || stamps.some(({ rest }) => attachedIn(rest) !== null))
}

/** `<attached: photo.jpg>` and `photo.jpg (file attached)`, in every language. */
const ATTACHED = [
  /^<[^<>:]{2,30}:\s?([^<>/\\]{1,200}\.\w{2,5})>$/u,
  /^([^/\\<>]{1,200}\.\w{2,5}) \([^()]{3,40}\)$/u,
]
/** On an iPhone the caption comes before: `Our bread \u200e<attached: photo.jpg>`. */
const ATTACHED_AFTER = /^([\s\S]*?)\s?\u200e(<[^<>:]{2,30}:[^<>/\\]{1,200}\.\w{2,5}>)$/u

function chatReader(source: Source): ItemsOf {
  return file => {
    const name = chatNameOf(file, source)
    const chat = { kind: 'whatsapp', stream: 'whatsapp_messages', name, file, source, contentOf }
    return chatItems(chat, messagesOf(file, source.timeZone))
  }
}

/** The text without the name of the attached file. */
function contentOf(written: string): { name: string | null; text: string } {
  const [first = '', ...rest] = written.split('\n')
  const name = attachedIn(first)
  if (name !== null) return { name, text: rest.join('\n') }
  const [, caption = '', after = ''] = ATTACHED_AFTER.exec(written) ?? []
  return after === '' ? { name: null, text: written } : { name: attachedIn(after), text: caption }
}

function attachedIn(line: string): string | null {
  const plain = line.replace(/[\u200e\u200f]/g, '').trim()
  return ATTACHED.map(pattern => pattern.exec(plain)?.[1]).find(name => name !== undefined) ?? null
}

const OF_CHAT =
  /^(?=.*(?:whatsapp|واتساب)).*?\s(?:-|with|mit|con|com|avec|met|med|ile|с|z|kanssa|と|与|與|עם|مع)\s+(.+)$/iu

/** Whether WhatsApp has named the file: `_chat.txt`, `WhatsApp Chat with Ben.txt`. */
function isNamedChat({ path }: SourceFile): boolean {
  return /^_chat\.txt$/.test(nameIn(path)) || OF_CHAT.test(nameIn(path))
}

/** The name of a chat comes from the name of its file, or of the archive or folder that contains `_chat.txt`. */
function chatNameOf(file: SourceFile, source: Source): string {
  const name = nameIn(file.path).replace(/\.txt$/i, '')
  const folder = nameIn(folderIn(file.path).slice(0, -1))
  const around = folder === '' && source.kind !== 'file' ? source.name : folder
  const told = /^_chat$/.test(name) && around !== '' ? around : name
  const plain = told.normalize('NFC').replace(/\s?\(\d+\)$/, '')
  return OF_CHAT.exec(plain)?.[1] ?? plain
}

/** Reads the whole file once to detect the order of its dates. */
async function dayOrderOf(file: SourceFile): Promise<DayOrder> {
  const orders = new DayOrders()
  let hasHalves = false
  for await (const { text } of linesOf(file.open())) {
    const stamp = text === null ? null : stampOf(text)
    if (!stamp) continue
    orders.note(stamp)
    hasHalves ||= halfIn(stamp.written.replace(/\p{Nd}+|[:./-]/gu, ' ')) !== null
  }
  return orders.best(hasHalves)
}

/** The messages of a chat. Lines without a date belong to the message above them. */
async function* messagesOf(file: SourceFile, timeZone: string | undefined): AsyncGenerator<WrittenMessage> {
  const order = await dayOrderOf(file)
  const begin: Begin = line => {
    const stamp = stampOf(line)
    const day = stamp && dayOf(stamp, order)
    if (!stamp || !day) return null
    const { written, hour, minute, second, rest } = stamp
    return { stamp: written, clock: { ...day, hour, minute, second }, ...spokenIn(rest) }
  }
  yield* messagesIn(file, begin, timeZone)
}

/** `Ada: text`. A line without a sender was written by WhatsApp itself. */
function spokenIn(rest: string): { sender: string | null; said: string } {
  const match = /^([^:\n]{1,100}?)\s?:(?:\s|$)/.exec(rest)
  if (!match?.[1]) return { sender: null, said: rest }
  return {
    sender: match[1].replace(/[\u200e\u200f\u202a-\u202e]/g, '').trim() || null,
    said: rest.slice(match[0].length).replace(/^[\u200e\u200f]+/, ''),
  }
}
