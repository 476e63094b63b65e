import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { registerDeclaration } from '../../api/owner/catalog.ts'
import { beginImport } from '../../api/owner/imports.ts'
import {
  beginSyncRun,
  noteSyncRun,
  readSyncMessages,
  type Sync,
  type SyncFolder,
  type SyncMessage,
} from '../../api/owner/syncs.ts'
import { ingest } from '../../api/records.ts'
import type { BodyOf } from '../../api/route.ts'
import { extractor } from '../../importers/extraction/extractor.ts'
import type { ImportEvent } from '../../importers/importer.ts'
import { MAIL } from '../../importers/mail/declaration.ts'
import { CodedError } from '../../model/errors.ts'
import { isAlive } from '../../origin/running-server.ts'
import { storedAddress } from '../../sync/address.ts'
import { loginOf } from '../../sync/login.ts'
import { MailAccount, type Patience } from '../../sync/mail-account.ts'
import { mailEvents } from '../../sync/mail-events.ts'
import { seal, unseal } from '../../sync/sealed-secret.ts'
import { ImportRun } from '../import/import-run.ts'
import type { OwnServer } from '../own-server.ts'
import { planSync, type SyncPlan } from './sync-plan.ts'

const ALIVE_MS = 20_000
const MESSAGES_AT_ONCE = 1_000
/** A message with the maximum number of labels takes a few thousand characters. */
const NOTED_AT_ONCE = 100
const STREAM = 'emails'

export type SyncCounts = NonNullable<BodyOf<typeof noteSyncRun>['ended']>['counts']

type Note = (content: Omit<BodyOf<typeof noteSyncRun>, 'runner'>) => Promise<Sync>

interface SyncWatch {
  /** How many messages are to be read. */
  found(messages: number): void
  progress(seen: number, done: number): void
}

export interface SyncSurroundings {
  server: OwnServer
  /** The data folder, which contains the key for the passwords. */
  directory: string
  stop: AbortSignal
  watch: SyncWatch
  /** Runs it only if it is still due. */
  due?: boolean
  patience?: Patience
}

/** Runs one sync to its end. It resumes where an interrupted run stopped, because each stored message is recorded. */
export async function runSync(
  around: SyncSurroundings,
  { sync_id }: Pick<Sync, 'sync_id'>,
): Promise<SyncCounts> {
  const { server, directory } = around
  extractor.lookForOcrIn(directory)
  const { runner, sync, secret, folders } = await begunRun(server, sync_id, around.due === true)
  const note: Note = content => server.call(noteSyncRun, { sync_id }, { json: { runner, ...content } })
  const lost = new AbortController()
  const alive = setInterval(() => note({}).catch(error => lost.abort(error)), ALIVE_MS)
  const stop = AbortSignal.any([around.stop, lost.signal])
  const run = new SyncRun({ ...around, stop }, sync, note)
  try {
    const address = storedAddress(sync)
    const login = await loginOf(address.user, unseal(directory, secret), around.stop, renewed =>
      note({ secret: seal(directory, renewed) }),
    )
    await using account = await MailAccount.open(address, login, { stop, patience: around.patience })
    await run.read(account, folders)
    await note({ ended: { counts: run.counts, error: null } })
    return run.counts
  } catch (error) {
    const stopped = around.stop.aborted
    const { code, message } =
      error instanceof CodedError ? error : { code: 'api_error', message: 'The sync failed.' }
    const told = stopped ? null : { code, message: message.slice(0, 2_000) }
    // If another process took over the run, or the sync was removed, nobody waits for this.
    if (!lost.signal.aborted) await note({ ended: { counts: run.counts, error: told } }).catch(() => {})
    throw error
  } finally {
    clearInterval(alive)
  }
}

class SyncRun {
  readonly counts: SyncCounts = { seen: 0, added: 0, updated: 0, unchanged: 0, rejected: 0, deleted: 0 }
  readonly #around: SyncSurroundings
  readonly #sync: Sync
  readonly #note: Note
  /** Messages that were read, each with the number of the checkpoint that follows it. */
  #read: { after: number; message: SyncMessage }[] = []
  #seen = 0

  constructor(around: SyncSurroundings, sync: Sync, note: Note) {
    this.#around = around
    this.#sync = sync
    this.#note = note
  }

  async read(account: MailAccount, folders: readonly SyncFolder[]): Promise<void> {
    const plan = await planSync(account, folders, () => this.#load())
    if (plan === null) return
    await this.#note({ folders: plan.folders })
    const total = [...plan.toRead.values()].reduce((sum, { length }) => sum + length, 0)
    const copied = plan.gone.filter(({ record_id }) => plan.known.copiesOf(record_id).length > 0)
    this.#around.watch.found(total)
    if (total + copied.length > 0) await this.#import(account, plan, total)
    await this.#delete(plan)
    const gone = Map.groupBy(plan.gone, ({ folder_no }) => folder_no)
    for (const [folder_no, messages] of gone)
      for (const part of partsOf(
        messages.map(({ uid }) => uid),
        MESSAGES_AT_ONCE * 10,
      ))
        await this.#note({ gone: [{ folder_no, uids: part }] })
    await this.#note({ folders: plan.after })
  }

  async #load(): Promise<SyncMessage[]> {
    const all: SyncMessage[] = []
    let more = true
    while (more) {
      const { folder_no = 0, uid = 0 } = all.at(-1) ?? {}
      const query = { folder: folder_no, after: uid }
      const page = await this.#around.server.call(readSyncMessages, this.#sync, { query })
      all.push(...page.messages)
      more = page.has_more
    }
    return all
  }

  /** Imports the changes as a separate import: through the same API as files, so that records have an origin. */
  async #import(account: MailAccount, plan: SyncPlan, total: number): Promise<void> {
    const { server, watch, stop } = this.#around
    const { sync_id, connection_id, address, name } = this.#sync
    await server.call(registerDeclaration, {}, { json: MAIL })
    const begun = await server.call(
      beginImport,
      {},
      {
        json: {
          ...{
            source_id: MAIL.source.id,
            format: 'imap',
            source: address,
            fingerprint: sync_id,
            stamp: 'sync',
          },
          ...{ account: null, connection_id, name: null, default_name: name },
        },
      },
    )
    const before = begun.seen
    const progress = (seen: number, done: number) => {
      stop.throwIfAborted()
      watch.progress(seen - before, done)
    }
    const run = new ImportRun(server, begun, progress, checkpoint => this.#stored(Number(checkpoint)))
    try {
      const read = () => this.#events(account, plan, total)
      await run.run({ declaration: MAIL, read }, [])
    } finally {
      for (const counted of ['seen', 'added', 'updated', 'unchanged', 'rejected'] as const)
        this.counts[counted] = run.counts[counted] - begun[counted]
    }
    await this.#stored(Number.POSITIVE_INFINITY)
  }

  async *#events(account: MailAccount, plan: SyncPlan, total: number): AsyncGenerator<ImportEvent> {
    for (const place of plan.refused)
      yield {
        kind: 'rejection',
        place,
        code: 'folder_refused',
        message: 'The mail server cannot open this folder.',
      }
    const shown = new Set<string>()
    yield* this.#eventsOf(account, plan, plan.toRead, shown, total)
    // A record that lost a copy, and no other copy of which was read, is shown where its other copies are.
    const others = new Map<number, number[]>()
    for (const { record_id } of plan.gone) {
      const [copy] = record_id === '' || shown.has(record_id) ? [] : plan.known.copiesOf(record_id)
      if (!copy) continue
      const uids = others.get(copy.folder_no) ?? []
      uids.push(copy.uid)
      others.set(copy.folder_no, uids)
    }
    yield* this.#eventsOf(account, plan, others, shown, total)
  }

  async *#eventsOf(
    account: MailAccount,
    { known, folders }: SyncPlan,
    toRead: ReadonlyMap<number, readonly number[]>,
    shown: Set<string>,
    total: number,
  ): AsyncGenerator<ImportEvent> {
    for (const folder of folders) {
      const uids = [...new Set(toRead.get(folder.no))]
      if (uids.length === 0) continue
      const opened = await account.examine(folder.path)
      if (opened?.uid_validity !== folder.uid_validity) continue
      for await (const event of mailEvents(account, folder, uids, known)) {
        this.#around.stop.throwIfAborted()
        if (event.kind !== 'read') {
          yield event
          continue
        }
        const message = known.in(folder.no).get(event.uid)
        this.#seen++
        if (message) this.#read.push({ after: this.#seen, message })
        if (message) shown.add(message.record_id)
        yield { kind: 'checkpoint', state: this.#seen, done: Math.min(1, this.#seen / total) }
      }
    }
  }

  /** Records the messages whose records are stored. */
  async #stored(checkpoint: number): Promise<void> {
    const stored = this.#read.filter(({ after }) => after <= checkpoint).map(({ message }) => message)
    this.#read = this.#read.filter(({ after }) => after > checkpoint)
    for (const messages of partsOf(stored, NOTED_AT_ONCE)) await this.#note({ messages })
  }

  /** Deletes the records of messages that are gone and have no copy left, if the owner wants that. */
  async #delete({ gone, known }: SyncPlan): Promise<void> {
    if (!this.#sync.deletes) return
    const { server } = this.#around
    const { connection_id } = this.#sync
    const ids = gone
      .map(({ record_id }) => record_id)
      .filter(id => id !== '' && known.copiesOf(id).length === 0)
    for (const part of partsOf([...new Set(ids)], MESSAGES_AT_ONCE)) {
      const body = Buffer.from(part.map(key => JSON.stringify({ op: 'delete', key })).join('\n'))
      const sent = { query: { connection_id }, type: 'application/x-ndjson', body }
      this.counts.deleted += (await server.call(ingest, { stream: STREAM }, sent)).deleted
    }
  }
}

function* partsOf<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size)
}

/**
 * Begins a run in the name of this process; a run of a process on this computer that was killed is replaced at once.
 */
async function begunRun(server: OwnServer, sync_id: string, due: boolean) {
  const runner = `${hostname()} ${process.pid} ${randomBytes(6).toString('hex')}`
  try {
    return { runner, ...(await server.call(beginSyncRun, { sync_id }, { json: { runner, due } })) }
  } catch (error) {
    const replaces = error instanceof CodedError ? String(error.details.runner) : ''
    const [host, process_id] = replaces.split(' ')
    if (host !== hostname() || isAlive(Number(process_id))) throw error
    return { runner, ...(await server.call(beginSyncRun, { sync_id }, { json: { runner, replaces, due } })) }
  }
}
