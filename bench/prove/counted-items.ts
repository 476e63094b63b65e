import type { SourceFile } from '../../src/importers/source/source.ts'

type Count = (text: string, path: string, all: readonly string[]) => number

const matches =
  (pattern: RegExp) =>
  (text: string): number =>
    text.match(pattern)?.length ?? 0
const one: Count = () => 1

function listed(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : [value]
  } catch {
    return []
  }
}

interface Chats {
  messages?: unknown[]
  chats?: { list?: Chats[] }
  left_chats?: { list?: Chats[] }
}

const separators = matches(/(?<=^|\n\r?\n)>?From \S+.*\b\d{4}\b.*\r?\n(?=[!-9;-~]+:|>From )/g)
/** A file among single messages may be a mailbox. */
const mails: Count = text => (/^From /.test(text) ? Math.max(1, separators(text)) : 1)

/** How many items a file contains, counted by the simplest means and not by the importer. */
const COUNTS: Readonly<Record<string, Count>> = {
  mbox: separators,
  'google-takeout-mail': matches(/(?<=^|\n\r?\n)From \S+.*\b\d{4}\b.*\r?\n(?=[!-9;-~]+:)/g),
  eml: mails,
  maildir: mails,
  slack: (text, path, all) => {
    // A list of people or channels is beside the channel folders; inside one it is not part of the export.
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    const isBesideFolders = all.some(
      other => other.startsWith(folder) && other.slice(folder.length).includes('/'),
    )
    return listed(text).filter(item => {
      const { ts, id, name, members } = item as Record<string, unknown>
      const isListed = id !== undefined && (name !== undefined || members !== undefined)
      return ts !== undefined || (isBesideFolders && isListed)
    }).length
  },
  chatgpt: text =>
    listed(text).reduce<number>((sum, conversation) => {
      const { mapping } = conversation as { mapping?: Record<string, { message?: object | null }> }
      // Lists and settings beside the conversations are not imported.
      return mapping ? sum + 1 + Object.values(mapping).filter(({ message }) => message).length : sum
    }, 0),
  claude: text =>
    listed(text).reduce<number>(
      (sum, conversation) =>
        sum + 1 + ((conversation as { chat_messages?: unknown[] }).chat_messages?.length ?? 0),
      0,
    ),
  whatsapp: matches(
    /^[^\p{L}\p{Nd}\n]{0,4}\p{Nd}{1,4}[./-]\p{Nd}{1,2}[./-]\p{Nd}{1,4}[^\p{Nd}\n]{1,5}\p{Nd}{1,2}[:.]\p{Nd}{2}[^\n]{0,12}?(?:\]|\s[-–]\s)/gmu,
  ),
  markdown: (_, path) => (/\.(md|markdown)$/i.test(path) ? 1 : 0),
  telegram: text =>
    listed(text).reduce<number>((sum, value) => {
      const { chats, left_chats, ...chat } = value as Chats
      const all = [chat, ...(chats?.list ?? []), ...(left_chats?.list ?? [])]
      return sum + all.reduce((messages, each) => messages + (each.messages?.length ?? 0), 0)
    }, 0),
  ics: matches(/^BEGIN:(?:VEVENT|VTODO|VJOURNAL)\s*$/gim),
  vcard: matches(/^BEGIN:VCARD\s*$/gim),
  'google-keep': (_, path) => (/\.json$/i.test(path) ? 1 : 0),
  'google-chat': matches(/"created_date"\s*:/g),
  skype: matches(/"originalarrivaltime"\s*:/g),
  x: matches(/"(?:tweet|like|messageCreate|grokChatItem)"\s*:\s*\{/g),
  'google-activity': (text, path) =>
    /\.html$/i.test(path) ? matches(/<div class="outer-cell/g)(text) : listed(text).length,
  'apple-health': matches(/<(?:Record|Workout|ActivitySummary)\s/g),
  browser: (text, path) =>
    /\.json$/i.test(path) ? matches(/"time_usec"/g)(text) : matches(/<A\s+HREF=/gi)(text),
  documents: one,
}

/** Null for a format that is not counted, such as tables of any shape. */
export async function countedItems(format: string, files: readonly SourceFile[]): Promise<number | null> {
  const count = COUNTS[format]
  if (!count) return null
  const paths = files.map(({ path }) => path)
  let items = 0
  for (const file of files) {
    const chunks: Uint8Array[] = []
    for await (const chunk of file.open()) chunks.push(Buffer.from(chunk))
    items += count(Buffer.concat(chunks).toString('utf8'), file.path, paths)
  }
  return items
}
