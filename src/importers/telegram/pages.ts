import type { JsonObject } from '../../model/json.ts'
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

/** A message on a page, with the details that the page has. */
interface PageMessage {
  /** Telegram's number of the message in its chat; null if the page has none. */
  number: number | null
  isService: boolean
  /** Whether it has the same sender as the message before. */
  isJoined: boolean
  sender: string | null
  /** `04.01.2019 15:23:45 +01:00` */
  written: string | null
  text: string | null
  replyTo: string | null
  forwardedFrom: string | null
  kind: string
  files: PageFile[]
  reactions: JsonObject[]
}

interface PageFile {
  /** The path relative to the page; null if the export does not include the file. */
  path: string | null
  name: string | null
}

const KINDS: readonly [RegExp, string][] = [
  [/\bsticker_wrap\b/, 'sticker'],
  [/\banimated_wrap\b/, 'animation'],
  [/\b(?:video_file_wrap|media_video)\b/, 'video_file'],
  [/\bmedia_voice_message\b/, 'voice_message'],
  [/\bmedia_audio_file\b/, 'audio_file'],
  [/\bmedia_call\b/, 'phone_call'],
]

const AFTER_MEDIA = /<div class="(?:text"|signature)|<span class="reactions"/

function pageMessage(html: string): PageMessage {
  const tag = html.slice(0, html.indexOf('>') + 1)
  const id = /\bid="message(-?\d{1,15})"/.exec(tag)?.[1]
  const isService = /\bservice\b/.test(tag)
  const forwarded = html.indexOf('<div class="forwarded body')
  const own = forwarded < 0 ? html : html.slice(0, forwarded)
  const rest = forwarded < 0 ? '' : html.slice(forwarded)
  const title = insideTag(own, '<div class="pull_right date details"')
  const reply = insideOf(own, '<div class="reply_to details"', '</div>')
  const { files, words, kind } = mediaIn(html)
  const text = isService
    ? plainText(insideOf(html, '<div class="body details"', '</div>'))
    : plainText(insideOf(html, '<div class="text"', '</div>'))
  return {
    number: id === undefined ? null : Number(id),
    isService,
    isJoined: /\bjoined\b/.test(tag),
    sender: nameOf(insideOf(own, '<div class="from_name"', '</div>')),
    written: /\btitle="([^"]{1,60})"/.exec(title)?.[1]?.replace(/UTC(?=[+-])/, '') ?? null,
    text: [text, ...words].filter(part => part !== null).join('\n') || null,
    replyTo: /go_to_message(-?\d{1,15})/.exec(reply ?? '')?.[1] ?? null,
    forwardedFrom: nameOf(insideOf(rest, '<div class="from_name"', '</div>')),
    kind: isService ? 'service' : kind,
    files,
    reactions: reactionsIn(html),
  }
}

/** The date in a line between messages: `4 January 2019`. */
function dayIn({ isService, text }: PageMessage): string | null {
  return isService && text !== null && /^\d{1,2} [A-Z][a-z]+ \d{4}$/.test(text) ? text : null
}

function insideTag(html: string, opening: string): string {
  const at = html.indexOf(opening)
  return at < 0 ? '' : html.slice(at, html.indexOf('>', at))
}

/** A link with its own text is written as in the JSON export. */
function plainText(html: string | null): string | null {
  return html === null ? null : textOfHtml(html).replace(/ <(https?:[^<>\s]+)>/g, ' ($1)') || null
}

/** The name of a person, without anything after it, such as the time of a forwarded message. */
function nameOf(html: string | null): string | null {
  if (html === null) return null
  const span = html.indexOf('<span')
  return textOfHtml(span < 0 ? html : html.slice(0, span)).trim() || null
}

/** The files of a message, and the text of everything else, such as a call or a poll. */
function mediaIn(html: string): { files: PageFile[]; words: string[]; kind: string } {
  const files: PageFile[] = []
  const words: string[] = []
  let kind = 'message'
  for (const wrapped of html.split('<div class="media_wrap').slice(1)) {
    const part = wrapped.split(AFTER_MEDIA, 1)[0] ?? ''
    const tag = /<(?:a|div) class="((?:[^"]*_wrap|media|media_poll)\b[^"]*)"([^>]{0,4000})>/.exec(part)
    if (!tag) continue
    const [, classes = '', more = ''] = tag
    kind = KINDS.find(([pattern]) => pattern.test(classes))?.[1] ?? kind
    const href = /\bhref="([^"]+)"/.exec(more)?.[1]?.replaceAll('&amp;', '&') ?? null
    const title = plainText(insideOf(part, '<div class="title bold"', '</div>'))
    const isFile = href !== null && !/^[a-z]+:/i.test(href)
    if (isFile) files.push({ path: href, name: /\bmedia_file\b/.test(classes) ? title : nameIn(href) })
    else if (/Not included|not included/.test(part.slice(0, 4000))) files.push({ path: null, name: title })
    else {
      const shown = plainText(part.slice(part.indexOf('>') + 1, part.lastIndexOf('</div>')))
      words.push(...[shown, /^https?:/.test(href ?? '') ? href : null].filter(each => each !== null))
    }
  }
  return { files, words, kind }
}

function reactionsIn(html: string): JsonObject[] {
  const at = html.indexOf('<span class="reactions"')
  if (at < 0) return []
  const parts = html.slice(at).split('<span class="reaction').slice(2)
  return parts.map(part => {
    const users = [...part.matchAll(/\btitle="([^"]{1,200})"/g)].map(([, name = '']) => textOfHtml(name))
    const count = Number(plainText(insideOf(part, '<span class="count"', '</span>')) ?? Number.NaN)
    return {
      name: plainText(insideOf(part, '<span class="emoji"', '</span>')) ?? 'reaction',
      count: Number.isSafeInteger(count) ? count : Math.max(1, users.length),
      users,
    }
  })
}
