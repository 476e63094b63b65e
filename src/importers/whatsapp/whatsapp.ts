import { WHATSAPP } from '../chat/messengers.ts'
import type { Recognise } from '../importer.ts'
import { folderIn } from '../reading/attached-files.ts'
import { findingOf, sharedName } from '../reading/exported-files.ts'
import { headText } from '../reading/head.ts'
import type { SourceFile } from '../source/source.ts'
import { tellingName } from '../source/telling-name.ts'
import { attachedIn, chatNameOf, chatReader, isNamedChat } from './read.ts'
import { stampOf } from './stamp.ts'

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
