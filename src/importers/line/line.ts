import { LINE } from '../chat/messengers.ts'
import { type Begin, chatItems, messagesIn } from '../chat/written-chat.ts'
import type { Recognise } from '../importer.ts'
import { nameIn } from '../reading/attached-files.ts'
import { findingOf, sharedName } from '../reading/exported-files.ts'
import { headText } from '../reading/head.ts'
import { linesOf } from '../reading/text-lines.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { tellingName } from '../source/telling-name.ts'
import { type Day, DayOrders, dayOf } from '../whatsapp/day-order.ts'
import { halfIn } from '../whatsapp/stamp.ts'

const MESSAGE_BYTES = 50
/** With a weekday: `2024/03/05(火)`, `2026.01.15 Thursday`, `Tue, 03/05/2024` */
const DAY =
  /^(?:\p{L}[\p{L}\p{M}.]*,?\s)?(\d{1,4})[/.](\d{1,2})[/.](\d{1,4})\.?\s?[(（]?\p{L}?[\p{L}\p{M}.]*[)）]?$/u
/** `10:15`, `9:30 PM` and `上午10:15`, before a tab. */
const MESSAGE =
  /^(?<before>\p{L}{0,4}) ?(?<hour>\d{1,2}):(?<minute>\d{2})[ \u202f]?(?<after>[\p{L}.]{0,5})\t(?<rest>.*)$/su
const TITLE =
  /^\[LINE\] (?:Chat history (?:with|in) (.+)|(.+?)と?のトーク履歴|[與与]?(.+?)的聊天[記记][錄录]|(.+?)님?과의 대화.*|(.+))$/
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

export const recognise: Recognise = async (chats, source) => {
  const name = await sharedName(chats, chatName)
  return findingOf(LINE, chats, MESSAGE_BYTES, () => file => itemsOf(file, source), {
    name: name && tellingName(name, LINE.display.name),
  })
}

async function* itemsOf(file: SourceFile, source: Source) {
  const name = await chatName(file)
  const chat = { kind: 'line', stream: 'line_chat_messages', name, file, source, contentOf }
  yield* chatItems(chat, messagesIn(file, await linesIn(file), source.timeZone))
}

async function chatName(file: SourceFile): Promise<string> {
  const [title = ''] = (await headText(file)).split(/\r?\n/, 1)
  const told = TITLE.exec(title.trim())
    ?.slice(1)
    .find(found => found !== undefined)
  return (told ?? nameIn(file.path).replace(/\.txt$/i, '')).normalize('NFC')
}

/** Reads the days of the whole file once, to detect the order of day, month and year. */
async function linesIn(file: SourceFile): Promise<Begin> {
  const orders = new DayOrders()
  let hasHalves = false
  for await (const { text } of linesOf(file.open())) {
    const written = text === null ? null : writtenDay(text)
    if (written && text !== null) orders.note({ day: written }, day => fitsWeekday(text, day))
    hasHalves ||= halfOf(MESSAGE.exec(text ?? '')) !== null
  }
  const order = orders.best(hasHalves)
  let day: Day | null = null
  return line => {
    const written = writtenDay(line)
    if (written) day = dayOf({ day: written }, order)
    if (written) return 'aside'
    const found = MESSAGE.exec(line)
    if (!found?.groups || day === null) return null
    const { hour, minute, rest = '' } = found.groups
    const half = halfOf(found)
    const hours = half === null ? Number(hour) : (Number(hour) % 12) + (half === 'pm' ? 12 : 0)
    const tab = rest.indexOf('\t')
    return {
      stamp: `${Object.values(day).join('.')} ${hours}:${minute}`,
      clock: { ...day, hour: hours, minute: Number(minute) },
      // What the program itself writes has no sender, or no second tab.
      sender: rest.slice(0, Math.max(0, tab)) || null,
      said: rest.slice(tab + 1),
    }
  }
}

function writtenDay(line: string): [string, string, string] | null {
  const [, a, b, c] = (line.length <= 40 && /\p{L}/u.test(line) ? DAY.exec(line.trim()) : null) ?? []
  return a && b && c ? [a, b, c] : null
}

/** Whether the English weekday beside a day, if there is one, is that of the day. */
function fitsWeekday(line: string, { year, month, day }: Day): boolean {
  const written = /[a-z]{3}/i.exec(line)?.[0].toLowerCase() ?? ''
  const index = WEEKDAYS.indexOf(written)
  return index < 0 || new Date(Date.UTC(year, month - 1, day)).getUTCDay() === index
}

function halfOf(found: RegExpExecArray | null): 'am' | 'pm' | null {
  return halfIn(`${found?.groups?.before ?? ''} ${found?.groups?.after ?? ''}`)
}

/** A message of several lines is in quotes. */
function contentOf(text: string): { name: null; text: string } {
  const quoted = text.includes('\n') ? /^"(.*)"$/s.exec(text)?.[1] : undefined
  return { name: null, text: quoted ?? text }
}
