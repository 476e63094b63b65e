import type { JsonObject } from '../../model/json.ts'
import { nameIn } from '../reading/attached-files.ts'
import { insideOf } from '../reading/html-cells.ts'
import { textOfHtml } from '../reading/html-text.ts'

/** A message on a page, with the details that the page has. */
export interface PageMessage {
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

export function pageMessage(html: string): PageMessage {
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
export function dayIn({ isService, text }: PageMessage): string | null {
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
