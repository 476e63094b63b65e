import { KAKAOTALK } from '../chat/messengers.ts'
import {
  type Begin,
  type Beginning,
  chatItems,
  messagesIn,
  type WrittenMessage,
} from '../chat/written-chat.ts'
import type { Recognise } from '../importer.ts'
import { folderIn, nameIn } from '../reading/attached-files.ts'
import { filesBelow, findingOf, sharedName } from '../reading/exported-files.ts'
import { headText } from '../reading/head.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { tellingName } from '../source/telling-name.ts'
import { csvRecords } from '../table/csv.ts'
import type { WallClock } from '../times.ts'
import { halfIn } from '../whatsapp/stamp.ts'
import { parseWrittenTime } from '../written-time.ts'

const MESSAGE_BYTES = 60
const TABLE = /^"?Date"?,"?User"?,"?Message"?\r?\n/
const TITLES = [
  /^(.+?) ?님과 카카오톡 대화$/,
  /^(.+?)(?: \d+)? 카카오톡 대화$/,
  /^(?:KakaoTalk Chats|Chat) with (.+)$/,
  /^(.+) with KakaoTalk Chats$/,
]
/** `KakaoTalk_Chat_Ada_2024-03-05-10-15-30.csv` */
const NAMED = /^KakaoTalk_Chat_(.+?)_\d{4}(?:-\d{2}){5}$/
const MEDIA = /^[^/]+\.(?:jpe?g|png|gif|webp|mp4|m4a|pdf)$/i

export const recognise: Recognise = async (signed, source) => {
  const names = new Map<SourceFile, string>()
  for (const file of signed) {
    const head = await headText(file)
    if (TABLE.test(head) || hasMessages(head)) names.set(file, chatName(file, head))
  }
  const chats = [...names.keys()]
  if (chats.length === 0) return null
  const name = await sharedName(chats, async file => names.get(file) ?? null)
  const beside = filesBelow(
    chats.map(({ path }) => folderIn(path)),
    MEDIA,
    source.files,
  )
  return findingOf(
    KAKAOTALK,
    chats,
    MESSAGE_BYTES,
    () => file => itemsOf(file, names.get(file) ?? '', source),
    { beside: source.kind === 'zip' ? beside : [], name: name && tellingName(name, KAKAOTALK.display.name) },
  )
}

function hasMessages(head: string): boolean {
  const begin = kakaoTalkLines()
  return head.split(/\r?\n/).some(line => {
    const begun = begin(line)
    return begun !== null && begun !== 'aside'
  })
}

function chatName({ path }: SourceFile, head: string): string {
  const title = head.split(/\r?\n/, 1)[0]?.trim() ?? ''
  const plain = nameIn(path).replace(/\.\w+$/, '')
  const told = TITLES.map(pattern => pattern.exec(title)?.[1]).find(found => found !== undefined)
  return (told ?? NAMED.exec(plain)?.[1] ?? plain).normalize('NFC')
}

async function* itemsOf(file: SourceFile, name: string, source: Source) {
  const chat = { kind: 'kakaotalk', stream: 'kakaotalk_messages', name, file, source, contentOf }
  const isTable = TABLE.test(await headText(file))
  const { timeZone } = source
  yield* chatItems(
    chat,
    isTable ? tableMessages(file, timeZone) : messagesIn(file, kakaoTalkLines(), timeZone),
  )
}

/** A message with a file has the name of the file as its text. */
function contentOf(text: string, isFile: (name: string) => boolean): { name: string | null; text: string } {
  return isFile(text) ? { name: text, text: '' } : { name: null, text }
}

/** The table that the program for the Mac writes. */
async function* tableMessages(
  file: SourceFile,
  timeZone: string | undefined,
): AsyncGenerator<WrittenMessage> {
  for await (const { row, line, end } of csvRecords(file.open())) {
    const { Date: stamp = '', User: user, Message: text = '' } = row
    const written = parseWrittenTime(stamp, null, timeZone)
    if (written)
      yield {
        stamp,
        sent_at: written.utc,
        sent_at_local: written.local,
        sender: user || null,
        text,
        line,
        end,
      }
  }
}

const DAY = '(?<year>\\d{4})[년.]\\s?(?<month>\\d{1,2})[월.]\\s?(?<day>\\d{1,2})[일.]?'
const CLOCK =
  '(?:(?<half>\\p{L}[\\p{L}.]{0,5})\\s?)?(?<hour>\\d{1,2}):(?<minute>\\d{2})(?:\\s?(?<after>[ap]\\.?m\\.?))?'
const ENGLISH = '\\p{Lu}\\p{L}{2,8}\\s\\d{1,2},\\s\\d{4}'
/** `2024년 3월 5일 화요일`, `Tuesday, March 5, 2024`, on a computer between dashes. */
const HEADING = new RegExp(
  `^(?:-{3,}\\s)?(?:${DAY}\\s\\p{L}+|\\p{L}+,\\s(?<english>${ENGLISH}))(?:\\s-{3,})?$`,
  'u',
)
/** On a computer: `[Ada] [오후 3:04] text` below a day. */
const BELOW_DAY = new RegExp(`^\\[(?<sender>.{1,100}?)\\] \\[${CLOCK}\\] ?(?<said>.*)$`, 'iu')
/** On a phone: `2024년 3월 5일 오후 3:04, Ada : text`, `March 5, 2024 at 3:04 PM, Ada : text`; a colon if nobody speaks. */
const WITH_DAY = new RegExp(
  `^(?<stamp>(?:${DAY}|(?<english>${ENGLISH})(?:,| at)?)\\s${CLOCK})(?:[,:]\\s(?<rest>.*))?$`,
  'iu',
)
const SPOKEN = /^(.{1,100}?) : ?(.*)$/su
/** What the program itself writes has no time on a computer. */
const NOTICE =
  /^.{1,200}(?:님이 (?:들어왔습니다|나갔습니다)|님을 (?:초대했습니다|내보냈습니다)|(?:joined|left) this chatroom|to this chatroom)\.?$/u

/** Reads the lines of a chat in order: some have the day of a line above. */
function kakaoTalkLines(): Begin {
  let day: { year: number; month: number; day: number } | null = null
  let last: Beginning | null = null
  const remembered = (begun: Beginning) => {
    last = begun
    return begun
  }
  return line => {
    const heading = HEADING.exec(line)?.groups
    if (heading) {
      day = dayOf(heading)
      last = day && { stamp: Object.values(day).join('.'), clock: day, sender: null, said: '' }
      return day === null ? null : 'aside'
    }
    const below = day && BELOW_DAY.exec(line)?.groups
    if (day && below) {
      const clock = clockOf(day, below)
      const stamp = `${Object.values(day).join('.')} ${clock.hour}:${clock.minute}`
      return remembered({ stamp, clock, sender: below.sender ?? null, said: below.said ?? '' })
    }
    const found = WITH_DAY.exec(line)?.groups
    const own = found && dayOf(found)
    if (own) {
      const { stamp = '', rest } = found
      // A phone writes the time alone before the first message of a day.
      if (rest === undefined) return 'aside'
      const [, sender = null, said = rest] = SPOKEN.exec(rest) ?? []
      return { stamp, clock: clockOf(own, found), sender, said }
    }
    return last && NOTICE.test(line) ? { ...last, sender: null, said: line } : null
  }
}

type Found = Record<string, string | undefined>

function dayOf({ year, month, day, english }: Found): { year: number; month: number; day: number } | null {
  if (english === undefined) return { year: Number(year), month: Number(month), day: Number(day) }
  const [y, m, d] = (parseWrittenTime(english, null)?.local ?? '').split('-').map(Number)
  return y && m && d ? { year: y, month: m, day: d } : null
}

function clockOf(day: WallClock, { half, after, hour, minute }: Found): WallClock {
  const written = Number(hour)
  const part = halfIn(`${half ?? ''} ${after ?? ''}`)
  return {
    ...day,
    hour: part !== null && written <= 12 ? (written % 12) + (part === 'pm' ? 12 : 0) : written,
    minute: Number(minute),
  }
}
