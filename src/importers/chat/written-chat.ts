import { rejection } from '../events.ts'
import type { ImportEvent } from '../importer.ts'
import { folderIn, storedFiles } from '../reading/attached-files.ts'
import type { FileItem } from '../reading/exported-files.ts'
import { linesOf } from '../reading/text-lines.ts'
import { recordIdOf, repeatCounter, repeatedId } from '../record-id.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { timesOfWallClockIn, type WallClock } from '../times.ts'
import { chatRecord } from './chat-stream.ts'

// A chat that was written to a text file, line by line, without ids.

const MOST_MESSAGE_CHARS = 4 * 1024 * 1024

/** The first line of a message. */
export interface Beginning {
  /** The date and time as written, or as much as tells it apart. */
  stamp: string
  clock: WallClock
  sender: string | null
  said: string
}

/** What a line is: the beginning of a message, a part of the message above (null), or a part of none, such as a day. */
export type Begin = (line: string) => Beginning | 'aside' | null

export interface WrittenMessage {
  stamp: string
  sent_at: string
  /** Without an offset, because the export does not contain its time zone. */
  sent_at_local: string
  sender: string | null
  /** Null if the message is too long. */
  text: string | null
  line: number
  end: number
}

export async function* messagesIn(
  file: SourceFile,
  begin: Begin,
  timeZone: string | undefined,
): AsyncGenerator<WrittenMessage> {
  let open: (Omit<WrittenMessage, 'text'> & { parts: string[]; chars: number }) | null = null
  const closed = (): WrittenMessage[] => {
    if (!open) return []
    const { parts, chars, ...message } = open
    return [{ ...message, text: chars > MOST_MESSAGE_CHARS ? null : parts.join('\n').trimEnd() }]
  }
  for await (const { number, text, end } of linesOf(file.open())) {
    const begun = text === null ? null : begin(text)
    const times = begun && begun !== 'aside' ? writtenTimes(begun.clock, timeZone) : null
    if (begun === 'aside' || times) {
      yield* closed()
      open = null
    }
    if (begun && begun !== 'aside' && times) {
      const { stamp, sender, said } = begun
      open = { stamp, ...times, sender, line: number, end, parts: [said], chars: said.length }
    } else if (open) {
      open.chars += (text?.length ?? MOST_MESSAGE_CHARS) + 1
      open.end = end
      if (open.chars <= MOST_MESSAGE_CHARS) open.parts.push(text ?? '')
      else open.parts = []
    }
  }
  yield* closed()
}

/** A day without a time has none in the zone of the owner either. */
export function writtenTimes(
  clock: WallClock,
  timeZone = 'UTC',
): { sent_at: string; sent_at_local: string } | null {
  const times = timesOfWallClockIn(clock, clock.hour === undefined ? 'UTC' : timeZone)
  return times && { sent_at: times.utc, sent_at_local: times.local.replace(/[+-]\d{2}:\d{2}$/, '') }
}

export interface WrittenChat {
  /** What its ids begin with, and the stream of its records. */
  kind: string
  stream: string
  name: string
  file: SourceFile
  source: Source
  /** The name of an attached file, and the text without it. */
  contentOf(text: string, isFile: (name: string) => boolean): { name: string | null; text: string }
}

export async function* chatItems(
  chat: WrittenChat,
  messages: AsyncIterable<WrittenMessage>,
): AsyncGenerator<FileItem> {
  const { kind, name, file, source } = chat
  const folder = folderIn(file.path)
  const beside = new Map(source.files.map(each => [each.path, each]))
  const fileOf = (attached: string) => beside.get(folder + attached)
  const chat_id = recordIdOf(`${kind} chat`, name)
  const repeats = dailyRepeats()
  let stamp = ''
  let position = 0
  for await (const message of messages) {
    position = message.stamp === stamp ? position + 1 : 1
    stamp = message.stamp
    const facts = [`${kind} message`, name, stamp, message.sender ?? '', message.text ?? '']
    const repeat = repeats(message.sent_at_local.slice(0, 10), facts.join('\n'))
    const at = { id: repeatedId(repeat, ...facts), chat: name, chat_id, position }
    yield { events: () => eventsOf(message, at, chat, fileOf), end: message.end }
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
  { file, stream, contentOf }: WrittenChat,
  fileOf: (name: string) => SourceFile | undefined,
): AsyncGenerator<ImportEvent> {
  const { sender, sent_at, sent_at_local } = message
  const place = `${file.path}, line ${message.line}`
  if (message.text === null) {
    const message = 'The message is longer than 4 million characters.'
    yield rejection(place, { code: 'item_too_large', message })
    return
  }
  const { name, text } = contentOf(message.text, attached => fileOf(attached) !== undefined)
  const attachments = yield* storedFiles(name === null ? [] : [[fileOf(name), { name }]])
  const kind = sender === null ? 'system' : 'message'
  const said = text === '' ? null : text
  yield chatRecord(stream, place, { ...at, sender, text: said, sent_at, sent_at_local, kind, attachments })
}
