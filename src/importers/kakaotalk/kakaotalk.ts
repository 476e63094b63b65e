import { KAKAOTALK } from '../chat/messengers.ts'
import { chatItems, messagesIn, type WrittenMessage } from '../chat/written-chat.ts'
import type { Recognise } from '../importer.ts'
import { folderIn, nameIn } from '../reading/attached-files.ts'
import { filesBelow, findingOf, sharedName } from '../reading/exported-files.ts'
import { headText } from '../reading/head.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { tellingName } from '../source/telling-name.ts'
import { csvRecords } from '../table/csv.ts'
import { parseWrittenTime } from '../written-time.ts'
import { kakaoTalkLines } from './line.ts'

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
    {
      beside: source.kind === 'zip' ? beside : [],
      name: name && tellingName(name, KAKAOTALK.display.name),
    },
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
