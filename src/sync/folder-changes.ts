import type { FetchMessageObject, ListResponse } from 'imapflow'
import type { SyncFolder } from '../api/owner/syncs.ts'
import { CodedError } from '../model/errors.ts'
import { inboxFirst, type KnownMessages } from './known-messages.ts'
import type { MailAccount } from './mail-account.ts'

const MOST_FOLDERS = 2_000
const MOST_MESSAGES = 5_000_000
/** Folders that are views of messages in other folders, and folders of unwanted messages. */
const LEFT_OUT = ['\\All', '\\Flagged', '\\Important', '\\Junk', '\\Trash']

/** The folders of an account that are synced: the one that was named, or all that contain messages worth finding. */
export async function syncedFolders(account: MailAccount): Promise<ListResponse[]> {
  const listed = (await account.folders()).filter(({ flags }) => !has(flags, '\\Noselect', '\\NonExistent'))
  const { folder, host } = account.address
  if (folder !== null) {
    const named = listed.filter(({ path }) => path === folder)
    if (named.length > 0) return named
    const known = listed.map(({ path }) => path).slice(0, 20)
    throw new CodedError(
      'mail_server_failed',
      `${host} has no folder named ${folder}. There are: ${known.join(', ')}.`,
    )
  }
  const role = ({ specialUse = '', specialUseSource }: ListResponse) =>
    specialUseSource === 'extension' ? specialUse : ''
  // In Gmail each label is a folder too; this folder contains every message once.
  const all = account.isGmail ? listed.filter(each => role(each) === '\\All') : []
  const wanted = all.length > 0 ? all : listed.filter(each => !LEFT_OUT.includes(role(each)))
  if (wanted.length > MOST_FOLDERS)
    throw new CodedError(
      'mail_server_failed',
      `${host} has more than ${MOST_FOLDERS} folders. Name one of them.`,
    )
  return wanted.sort((one, other) => inboxFirst(one.path, other.path))
}

function has(flags: ReadonlySet<string>, ...names: string[]): boolean {
  return [...flags].some(flag => names.some(name => name.toLowerCase() === flag.toLowerCase()))
}

/** Whether nothing has changed in a folder since it was last read completely. */
export function isUnchanged({ status }: ListResponse, known: SyncFolder | undefined): boolean {
  return (
    status !== undefined &&
    known !== undefined &&
    known.modseq !== null &&
    String(status.uidValidity) === known.uid_validity &&
    String(status.highestModseq) === known.modseq &&
    status.uidNext === known.uid_next &&
    status.messages === known.messages
  )
}

interface FolderChanges {
  /** Messages to read: new ones, and those whose labels changed. */
  changed: number[]
  /** Messages that are no longer in the folder. */
  gone: number[]
}

/** What has changed in the open folder since it was last read, by change numbers if the server supports them. */
export async function folderChanges(
  account: MailAccount,
  folder: SyncFolder,
  now: { messages: number; modseq: string | null },
  known: KnownMessages,
): Promise<FolderChanges> {
  if (now.messages > MOST_MESSAGES)
    throw new CodedError('mail_server_failed', `${folder.path} is said to contain ${now.messages} messages.`)
  const before = known.in(folder.no)
  const since = now.modseq !== null && folder.modseq !== null ? folder.modseq : undefined
  const changed: number[] = []
  const seen = new Set<number>()
  let added = 0
  if (now.messages > 0) {
    const query = { uid: true, flags: true, labels: true }
    for await (const message of account.facts('1:*', query, now.messages, since)) {
      if (seen.has(message.uid)) continue
      seen.add(message.uid)
      const row = before.get(message.uid)
      if (!row) added++
      if (!row || JSON.stringify(row.labels) !== JSON.stringify(labelsOf(message))) changed.push(message.uid)
    }
  }
  if (since === undefined) return { changed, gone: [...before.keys()].filter(uid => !seen.has(uid)) }
  if (before.size + added === now.messages) return { changed, gone: [] }
  const there = new Set(now.messages > 0 ? await account.numbers() : [])
  const missed = [...there].filter(uid => !before.has(uid) && !seen.has(uid))
  return { changed: [...changed, ...missed], gone: [...before.keys()].filter(uid => !there.has(uid)) }
}

/** Standard flags, as mail programs name them. `\Seen` is shown by its absence. */
const NAMES = new Map(
  Object.entries({
    '\\answered': 'Answered',
    '\\flagged': 'Flagged',
    '\\draft': 'Draft',
    '\\deleted': 'Deleted',
  }),
)
/** Gmail's own labels, as its export names them. */
const GMAIL = new Map([['\\Draft', 'Drafts']])
const MOST_LABELS = 50
const MOST_CHARS = 100

/** The labels of a message: its flags and keywords, and Gmail's labels. */
export function labelsOf({ flags, labels }: Pick<FetchMessageObject, 'flags' | 'labels'>): string[] {
  const found = new Set<string>()
  for (const flag of flags ?? []) {
    const name = flag.startsWith('\\') ? NAMES.get(flag.toLowerCase()) : flag
    if (name !== undefined) found.add(name)
  }
  if (flags && ![...flags].some(flag => flag.toLowerCase() === '\\seen')) found.add('Unread')
  for (const label of labels ?? []) found.add(GMAIL.get(label) ?? label.replace(/^\\/, ''))
  return [...found]
    .map(label => label.slice(0, MOST_CHARS))
    .sort()
    .slice(0, MOST_LABELS)
}
