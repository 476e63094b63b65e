import type { SyncFolder, SyncMessage } from '../api/owner/syncs.ts'

/** Where a message of a record is, and its labels there. */
interface Whereabouts {
  /** The first folder that contains it; INBOX comes before all others. */
  mailbox: string
  /** The labels of all its copies, and the other folders that contain one. */
  labels: string[]
}

/** Which record each message of an account became. A record may have copies in several folders. */
export class KnownMessages {
  readonly #folders = new Map<number, Map<number, SyncMessage>>()
  readonly #copies = new Map<string, SyncMessage[]>()
  readonly #paths = new Map<number, string>()

  constructor(folders: readonly SyncFolder[]) {
    for (const folder of folders) this.place(folder)
  }

  place({ no, path }: Pick<SyncFolder, 'no' | 'path'>): void {
    this.#paths.set(no, path)
  }

  in(folder_no: number): ReadonlyMap<number, SyncMessage> {
    return this.#folders.get(folder_no) ?? new Map()
  }

  copiesOf(record_id: string): readonly SyncMessage[] {
    return this.#copies.get(record_id) ?? []
  }

  set(message: SyncMessage): void {
    this.forget(message.folder_no, message.uid)
    const folder = this.#folders.get(message.folder_no) ?? new Map<number, SyncMessage>()
    this.#folders.set(message.folder_no, folder.set(message.uid, message))
    if (message.record_id !== '')
      this.#copies.set(message.record_id, [...this.copiesOf(message.record_id), message])
  }

  forget(folder_no: number, uid: number): void {
    const folder = this.#folders.get(folder_no)
    const known = folder?.get(uid)
    if (!known) return
    folder?.delete(uid)
    const left = this.copiesOf(known.record_id).filter(copy => copy !== known)
    if (left.length === 0) this.#copies.delete(known.record_id)
    else this.#copies.set(known.record_id, left)
  }

  whereabouts(record_id: string): Whereabouts {
    const copies = this.copiesOf(record_id)
    const paths = [...new Set(copies.map(({ folder_no }) => this.#paths.get(folder_no) ?? ''))].sort(
      inboxFirst,
    )
    const [mailbox = '', ...others] = paths
    return { mailbox, labels: [...new Set([...copies.flatMap(({ labels }) => labels).sort(), ...others])] }
  }
}

export function inboxFirst(one: string, other: string): number {
  const rank = (path: string) => (path.toUpperCase() === 'INBOX' ? 0 : 1)
  return rank(one) - rank(other) || (one < other ? -1 : one > other ? 1 : 0)
}
