import { isObject, parseJson } from '../../model/json.ts'
import type { Lookalike } from '../importer.ts'
import { jsonItems } from '../json-items.ts'
import { headText } from '../reading/head.ts'
import type { Source, SourceFile } from '../source/source.ts'

/** The files of an export, by role. */
export interface Layout {
  /** The root folder of the export, with a `/` at its end; empty if it is the source itself. */
  root: string
  /** The folders of channels with their files, in the order of days. */
  channels: { folder: string; files: SourceFile[] }[]
  /** `users.json` and the lists of channels, by name; people come first. */
  lists: Map<string, SourceFile>
  /** Uploaded files by Slack's id, if the export includes them. */
  uploads: Map<string, SourceFile>
  /** Other JSON files of the export; they are not imported. */
  others: SourceFile[]
}

const LISTS = ['users.json', 'channels.json', 'groups.json', 'dms.json', 'mpims.json']
const DAY = /^\d{4}-\d{2}-\d{2}\.json$/

/** Null if no file resembles a day of messages. */
export async function layoutOf(source: Source): Promise<Layout | Lookalike | null> {
  const roots = new Map<string, Map<string, SourceFile[]>>()
  let dayNamed: SourceFile | null = null
  for (const file of source.files) {
    const parts = file.path.split('/')
    const name = parts.pop() ?? ''
    const channel = parts.pop()
    if (channel === undefined || !/\.json$/i.test(name)) continue
    if (DAY.test(name)) dayNamed ??= file
    if (!(await holdsMessages(file, DAY.test(name)))) continue
    const root = parts.map(part => `${part}/`).join('')
    const channels = roots.get(root) ?? new Map<string, SourceFile[]>()
    channels.set(channel, [...(channels.get(channel) ?? []), file])
    roots.set(root, channels)
  }
  const largest = [...roots].sort((a, b) => fileCount(b[1]) - fileCount(a[1]))[0]
  if (!largest) return dayNamed ? notSlack(dayNamed) : null
  const [root, channels] = largest
  const found = new Map<string, SourceFile>()
  const uploads = new Map<string, SourceFile>()
  const others: SourceFile[] = []
  const days = new Set([...channels.values()].flat())
  for (const file of source.files) {
    if (!file.path.startsWith(root)) continue
    const relative = file.path.slice(root.length)
    if (LISTS.includes(relative)) found.set(relative, file)
    else if (/\.json$/i.test(relative) && !days.has(file)) others.push(file)
    const upload = /^(?:.*\/)?(F[A-Z0-9]{8,})(?:[-_/][^/]*)$/.exec(relative)?.[1]
    if (upload) uploads.set(upload, file)
  }
  return {
    root,
    channels: [...channels].map(([folder, files]) => ({ folder, files })),
    lists: new Map([...found].sort(([one], [other]) => LISTS.indexOf(one) - LISTS.indexOf(other))),
    uploads,
    others,
  }
}

function fileCount(channels: Map<string, SourceFile[]>): number {
  return [...channels.values()].reduce((sum, files) => sum + files.length, 0)
}

function notSlack(file: SourceFile): Lookalike {
  const lookalike = `${file.path} is named like a day of messages in a Slack export, but contains no messages.`
  return { lookalike, files: [] }
}

/**
 * Whether the file is a list of objects with Slack's `ts`; an empty list is accepted if the file is named like a day.
 */
async function holdsMessages(file: SourceFile, isDay: boolean): Promise<boolean> {
  const head = (await headText(file)).trimStart()
  if (!head.startsWith('[')) return false
  if (isDay && /^\[\s*\]\s*$/.test(head)) return true
  if (/"ts"\s*:\s*"\d{9,11}\.\d{6}"/.test(head)) return /"(type|user|bot_id|text)"\s*:/.test(head)
  if (file.size <= head.length || !isDay) return false
  // The first message is longer than the head.
  for await (const item of jsonItems(file.open())) {
    try {
      const first = parseJson(item.text ?? '')
      return isObject(first) && typeof first.ts === 'string' && typeof first.type === 'string'
    } catch {
      if (item.index > 20) return false
    }
  }
  return false
}
