import type { SyncFolder, SyncMessage } from '../../api/owner/syncs.ts'
import { CodedError } from '../../model/errors.ts'
import { folderChanges, isUnchanged, syncedFolders } from '../../sync/folder-changes.ts'
import { KnownMessages } from '../../sync/known-messages.ts'
import type { MailAccount } from '../../sync/mail-account.ts'

/** What a run has to do. */
export interface SyncPlan {
  known: KnownMessages
  /** The folders by number, including those that are gone. */
  folders: SyncFolder[]
  /** The folders that still exist, each as it will be once everything is read. */
  after: SyncFolder[]
  /** The messages to read, by the number of their folder. */
  toRead: Map<number, number[]>
  gone: SyncMessage[]
  /** Folders that the server refuses to open. They are left unchanged. */
  refused: string[]
}

/** Compares the account with its known state; null if nothing has changed. `load` is only called if something has. */
export async function planSync(
  account: MailAccount,
  stored: readonly SyncFolder[],
  load: () => Promise<SyncMessage[]>,
): Promise<SyncPlan | null> {
  const listed = await syncedFolders(account)
  if (listed.length === 0)
    throw new CodedError(
      'mail_server_failed',
      `${account.address.host} lists no folders. Nothing was changed.`,
    )
  const byPath = new Map(stored.map(folder => [folder.path, folder]))
  const changed = listed.filter(each => !isUnchanged(each, byPath.get(each.path)))
  const paths = new Set(listed.map(({ path }) => path))
  if (changed.length === 0 && stored.every(({ path }) => paths.has(path))) return null
  const folders = [...stored]
  const after: SyncFolder[] = listed.flatMap(each =>
    changed.includes(each) ? [] : (byPath.get(each.path) ?? []),
  )
  const known = new KnownMessages(stored)
  for (const message of await load()) known.set(message)
  const toRead = new Map<number, number[]>()
  const gone: SyncMessage[] = []
  const refused: string[] = []
  let no = Math.max(0, ...stored.map(folder => folder.no))
  for (const { path } of changed) {
    const before = byPath.get(path)
    const now = await account.examine(path)
    if (!now) {
      refused.push(path)
      if (before) after.push(before)
      continue
    }
    // A folder whose numbers are no longer valid is treated as a new one: it is read, and then the old one is removed.
    let folder = before
    if (folder?.uid_validity !== now.uid_validity) {
      folder = { no: ++no, path, uid_validity: now.uid_validity, uid_next: 0, messages: 0, modseq: null }
      folders.push(folder)
      known.place(folder)
    }
    const changes = await folderChanges(account, folder, now, known)
    toRead.set(folder.no, changes.changed)
    gone.push(...changes.gone.flatMap(uid => known.in(folder.no).get(uid) ?? []))
    after.push({ ...folder, ...now })
  }
  for (const { no: left } of folders)
    if (!after.some(folder => folder.no === left)) gone.push(...known.in(left).values())
  for (const { folder_no, uid } of gone) known.forget(folder_no, uid)
  return { known, folders, after, toRead, gone, refused }
}
