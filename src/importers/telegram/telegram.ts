import type { JsonObject } from '../../model/json.ts'
import { TELEGRAM } from '../chat/messengers.ts'
import { NO_LIST, rejection } from '../events.ts'
import type { Recognise } from '../importer.ts'
import { EACH } from '../json-items.ts'
import { folderIn } from '../reading/attached-files.ts'
import { type FileItem, filesBelow, findingOf, sharedName, textInHead } from '../reading/exported-files.ts'
import { headText } from '../reading/head.ts'
import { listedObjects } from '../reading/json-objects.ts'
import { idIn, textIn } from '../reading/json-values.ts'
import { repeatCounter } from '../record-id.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { type Chat, messageEvents, messageKey } from './message.ts'
import { pageChats, pageItems } from './pages.ts'

const MESSAGE_BYTES = 450
const ONE_CHAT = ['messages']
const ALL_CHATS = [
  ['chats', 'list', EACH, 'messages'],
  ['left_chats', 'list', EACH, 'messages'],
]

export const recognise: Recognise = async (signed, source) => {
  const layouts = new Map<SourceFile, Layout>()
  for (const file of signed) {
    const layout = await layoutOf(file)
    if (layout !== null) layouts.set(file, layout)
  }
  const exports = [...layouts.keys()]
  const pages = signed.filter(({ path }) => /\.html$/i.test(path))
  if (exports.length === 0 && pages.length === 0) return null
  const jsonRoots = exports.map(({ path }) => folderIn(path))
  // If an export has both formats, JSON is read, because it contains more.
  const readPages = pages.filter(({ path }) => !jsonRoots.some(root => path.startsWith(root)))
  const read = [...exports, ...readPages]
  const roots = [...jsonRoots, ...readPages.map(({ path }) => folderIn(path))]
  const own = new Set([...read, ...pages, ...filesBelow(roots, BESIDE, source.files)])
  const chats = pageChats(readPages)
  const byPath = new Map(source.files.map(file => [file.path, file]))
  const itemsOf = (file: SourceFile) => {
    const layout = layouts.get(file)
    return layout ? messageItems(file, layout, source, byPath) : pageItems(file, chats, source, byPath)
  }
  const name = await sharedName(read, async file => {
    const layout = layouts.get(file)
    return layout ? nameIn(await headText(file), layout) : (await chats(file)).name
  })
  const files = source.files.filter(file => own.has(file))
  return findingOf(TELEGRAM, read, MESSAGE_BYTES, () => itemsOf, { files, name })
}

/** `one` for a single chat, `full` for the export of an account. */
type Layout = 'one' | 'full'

/** Media files, and the style sheets, scripts and images of the pages of an HTML export. */
const BESIDE =
  /^(?:(?:chats\/[^/]+\/)?(?:photos|files|video_files|voice_messages|round_video_messages|stickers|contacts)|css|js|images)\//

/** The name of the chat, or of the person whose account it is. */
function nameIn(head: string, layout: Layout): string | null {
  const isFull = layout === 'full'
  const [before = ''] = head.split(isFull ? /"(?:left_)?chats"\s*:/ : /"messages"\s*:/)
  if (!isFull) return textInHead(before, 'name')
  const [, person = ''] = before.split(/"personal_information"\s*:/)
  const names = [textInHead(person, 'first_name'), textInHead(person, 'last_name')]
  return textIn(names.filter(name => name !== null).join(' '))
}

async function layoutOf(file: SourceFile): Promise<Layout | null> {
  if (!/\.json$/i.test(file.path)) return null
  const head = await headText(file)
  if (!/^\s*\{/.test(head)) return null
  if (/"about"\s*:\s*"Here is the data you requested/.test(head)) return 'full'
  const hasMessages = /"messages"\s*:\s*\[/.test(head)
  const isMessage = /"type"\s*:\s*"(?:message|service)"/.test(head) && /"date(?:_unixtime)?"\s*:/.test(head)
  const isChat =
    /"type"\s*:\s*"(?:personal_chat|bot_chat|saved_messages|(?:private|public)_(?:group|supergroup|channel))"/.test(
      head,
    )
  if (!hasMessages || !(isMessage || isChat)) return null
  return /"(?:left_)?chats"\s*:\s*\{/.test(head) ? 'full' : 'one'
}

async function* messageItems(
  file: SourceFile,
  layout: Layout,
  { timeZone }: Source,
  byPath: ReadonlyMap<string, SourceFile>,
): AsyncGenerator<FileItem> {
  const isFull = layout === 'full'
  const repeats = repeatCounter()
  const beside = (path: string) => byPath.get(folderIn(file.path) + path)
  for (const path of isFull ? ALL_CHATS : [ONE_CHAT]) {
    for await (const { value, problem, around, index, end, place } of listedObjects(file, 'message', path)) {
      if (value === null) {
        // A full export may lack the list of chats that were left.
        if (!isFull || problem !== NO_LIST) yield { events: () => [rejection(place, problem)], end }
        continue
      }
      const chat = chatOf(around)
      const at = chat.name === null ? place : `${file.path}, ${chat.name}, message ${index + 1}`
      const id = messageKey(value, chat, repeats)
      yield { events: () => messageEvents(value, { id, chat, index, place: at, timeZone }, beside), end }
    }
  }
}

function chatOf(around: JsonObject): Chat {
  const name = textIn(around.name) ?? (around.type === 'saved_messages' ? 'Saved messages' : null)
  return { name, kind: textIn(around.type), id: idIn(around.id) ?? name ?? 'chat' }
}
