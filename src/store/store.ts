import { createSecretKey, type KeyObject } from 'node:crypto'
import { accessSync, constants, existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { WatchedFolders } from '../data-folder/watched-folders.ts'
import type { Catalog } from '../model/access/enforce.ts'
import type { Grant, GrantState } from '../model/access/grant.ts'
import { CodedError } from '../model/errors.ts'
import { grantsOfConsent, readGrantBody } from './access/grants.ts'
import { TokenStates } from './access/token-states.ts'
import type { Database, Location, View } from './engine/database.ts'
import { isMigrated, migrateLedger } from './engine/migrations.ts'
import { type Memory, openDatabase } from './engine/open-database.ts'
import { type KnownStore, knownStore } from './known-store.ts'
import { Ledger } from './ledger/ledger.ts'
import { type Line, readHeads, readLedgerKeys, signingKey } from './ledger/ledger-chain.ts'
import { pruneLedger } from './ledger/prune-ledger.ts'
import {
  type LedgerReport,
  linesOf,
  readMark,
  type Verification,
  verifyLedger,
  writeMark,
} from './ledger/verify-ledger.ts'
import { readCatalog } from './records/catalog.ts'
import type { WriteArgs } from './threads/calls.ts'
import { type PartState, Scanner, Writer } from './threads/worker.ts'

const MOST_CACHED_GRANTS = 1_000
const HEALTH_TIMEOUT_MS = 500
const RESTART_MS = 1_000

export interface Health {
  ok: boolean
  parts: Record<'database' | 'ledger' | 'writer' | 'scanner', PartState>
}

/** Everything that the servers and commands need from the stored data. */
export class Store implements AsyncDisposable {
  /** Point reads, pages and windows, in the calling thread. */
  readonly database: View
  readonly #database: Database
  readonly ledger: Ledger
  /** Does every write. */
  readonly writer: Writer
  /** The key that cursors are sealed with. */
  readonly sealingKey: Uint8Array
  /** The key that tags of what was read are made with. Created once, because creating it takes longer than using it. */
  readonly tagKey: KeyObject
  readonly owner_id: string
  /** Whether nothing was stored here before, or only by an earlier version. */
  readonly isNew: boolean
  /** What tokens give access to now. */
  readonly tokens: TokenStates
  readonly #location: Location
  readonly #memory: Memory
  #scanner: Scanner | null = null
  #watched: WatchedFolders | null = null
  #closed = false
  readonly #catalogs = new Map<string, { seq: number; catalog: Promise<Catalog> }>()
  readonly #grants = new Map<string, Promise<Grant>>()
  #report: (error: Error, part: string) => void = () => {}

  private constructor(
    parts: Pick<Store, 'ledger' | 'writer' | 'sealingKey' | 'owner_id' | 'isNew'> & { database: Database },
    location: Location,
    memory: Memory,
  ) {
    this.database = parts.database
    this.#database = parts.database
    this.tokens = new TokenStates(parts.database)
    this.ledger = parts.ledger
    this.writer = parts.writer
    this.sealingKey = parts.sealingKey
    this.tagKey = createSecretKey(parts.sealingKey)
    this.owner_id = parts.owner_id
    this.isNew = parts.isNew
    this.#location = location
    this.#memory = memory
  }

  static async open(location: Location, memory: Memory = 'server'): Promise<Store> {
    assertWritable(location.directory)
    const writer = new Writer({ location, memory })
    await using opened = new AsyncDisposableStack()
    opened.use(writer)
    const database = opened.use(await openDatabase(location, 'point-reader', memory))
    const known = await knownStore(database)
    const keys = known ?? (await begunStore(writer))
    const ledger = opened.use(await openDatabase(location, 'ledger', memory))
    await migrateLedger(ledger)
    const store = new Store(
      { database, ledger: new Ledger(ledger, location.directory), writer, ...keys, isNew: known === null },
      location,
      memory,
    )
    opened.move()
    return store
  }

  /** For reads that may take long; started when first needed. */
  get scanner(): Scanner {
    if (!this.#scanner) {
      const scanner = new Scanner({ location: this.#location, memory: this.#memory })
      scanner.onStop = error => this.#report(error, 'scanner')
      this.#scanner = scanner
    }
    return this.#scanner
  }

  /** The folders that a server on this data folder watches and imports. */
  get watched(): WatchedFolders {
    this.#watched ??= new WatchedFolders(this.#location.directory)
    return this.#watched
  }

  /** How many times each thread was replaced. */
  get restarts(): Record<'writer' | 'scanner', number> {
    return { writer: this.writer.restarts, scanner: this.#scanner?.restarts ?? 0 }
  }

  /** Sets the function that is called with the reason when a worker stops. */
  reportTo(report: (error: Error, part: string) => void): void {
    this.#report = report
    this.writer.onStop = error => report(error, 'writer')
  }

  /** Checks every part of the store. A scanner that was never needed is not started for this. */
  async health(): Promise<Health> {
    const [database, ledger, writer, scanner] = await Promise.all([
      stateOf(this.database.get('SELECT 1 AS one')),
      stateOf(this.ledger.probe()),
      this.writer.state(HEALTH_TIMEOUT_MS),
      this.#scanner ? this.#scanner.state(HEALTH_TIMEOUT_MS) : ('ok' as const),
    ])
    const parts = { database, ledger, writer, scanner }
    return { ok: !Object.values(parts).includes('down'), parts }
  }

  /** Whether the tables match this version. */
  migrations(): Promise<PartState> {
    const asked = [isMigrated(this.database, 'store'), isMigrated(this.ledger.database, 'ledger')]
    return stateOf(Promise.all(asked).then(answers => answers.every(Boolean)))
  }

  /** Ends a grant. If that cannot be stored, this fails, but the grant is still refused. */
  revokeGrant(args: WriteArgs<'revokeGrant'>): Promise<GrantState> {
    return this.tokens.end([args.grant_id], () => this.writer.call('revokeGrant', args))
  }

  /** Ends a consent and its grants, in the same way. */
  async endConsent(args: WriteArgs<'endConsent'>): Promise<void> {
    const grant_ids = await grantsOfConsent(this.database, args)
    await this.tokens.end(grant_ids, () => this.writer.call('endConsent', args))
  }

  /** The catalog at a state that the caller has just read; cached until that state changes. */
  catalog(owner_id: string, catalog_seq: number): Promise<Catalog> {
    const known = this.#catalogs.get(owner_id)
    if (known && known.seq === catalog_seq) return known.catalog
    const catalog = readCatalog(this.database, owner_id)
    this.#catalogs.set(owner_id, { seq: catalog_seq, catalog })
    catalog.catch(() => this.#catalogs.delete(owner_id))
    return catalog
  }

  /** The frozen part of a grant. It never changes, so it is cached. */
  grant(owner_id: string, grant_id: string): Promise<Grant> {
    const known = this.#grants.get(grant_id)
    if (known) return known
    if (this.#grants.size >= MOST_CACHED_GRANTS) this.#grants.clear()
    const grant = readGrantBody(this.database, owner_id, grant_id)
    this.#grants.set(grant_id, grant)
    grant.catch(() => this.#grants.delete(grant_id))
    return grant
  }

  /** Everything of the owner as JSON lines, in a consistent snapshot; others can write meanwhile. */
  async *exported(): AsyncGenerator<string> {
    const { exportLines } = await import('./transfer/export.ts')
    await using reader = await openDatabase(this.#location, 'exporter')
    await using ledger = await openDatabase(this.#location, 'ledger')
    yield* exportLines(await reader.frozen(), await ledger.frozen(), this.owner_id)
  }

  /** Every line of the ledger, in a consistent snapshot. */
  async *ledgerLines(): AsyncGenerator<Line> {
    await using ledger = await openDatabase(this.#location, 'ledger')
    yield* linesOf(await ledger.frozen(), this.owner_id)
  }

  /** Checks every line of the ledger, in a consistent snapshot, and stores the result. */
  async verifyLedger(now: Date): Promise<LedgerReport> {
    const { owner_id } = this
    const { directory } = this.#location
    const keys = readLedgerKeys(directory)
    const heads = readHeads(directory, keys)
    await using ledger = await openDatabase(this.#location, 'ledger')
    const { report } = await verifyLedger(await ledger.frozen(), owner_id, { keys, heads })
    const { state, entries, problem_count: problems } = report
    const mark = { owner_id, at: now.toISOString(), content: { state, entries, problems } }
    await writeMark(this.ledger.database, signingKey(directory), { ...mark, kind: 'verification' })
    return report
  }

  /** When the ledger was last verified, and the result. */
  async lastVerified(): Promise<{ at: string; content: Verification } | null> {
    const keys = readLedgerKeys(this.#location.directory)
    const mark = await readMark(this.ledger.database, this.owner_id, 'verification', keys)
    return mark?.signed ? mark : null
  }

  /** Removes the lines of the ledger from before a time, and leaves a signed checkpoint. */
  pruneLedger(before: string, now: Date): Promise<{ removed: number }> {
    const { directory } = this.#location
    const signing = signingKey(directory)
    const keys = readLedgerKeys(directory)
    const heads = readHeads(directory, keys)
    const pruning = { owner_id: this.owner_id, before, now: now.toISOString(), keys, signing, heads }
    return pruneLedger(this.ledger.database, pruning)
  }

  /** Rebuilds the search indexes that are out of date, part by part, between other writes. */
  async refreshIndexes(): Promise<void> {
    try {
      const { connections } = await readCatalog(this.database, this.owner_id)
      for (const { connection_id, declaration } of connections) {
        for (const stream of declaration.streams) {
          const target = { owner_id: this.owner_id, connection_id, stream }
          while (!this.#closed && !(await this.#rebuildPart(target)));
        }
      }
    } catch (error) {
      if (!this.#closed) throw error
    }
  }

  /** True if nothing is left to rebuild. If the writer stopped, waits until it is back. */
  async #rebuildPart(target: WriteArgs<'rebuildIndexPart'>): Promise<boolean> {
    try {
      return await this.writer.call('rebuildIndexPart', target)
    } catch (error) {
      if (!(error instanceof CodedError && error.code === 'service_unavailable')) throw error
      await sleep(RESTART_MS, undefined, { ref: false })
      return false
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.tokens[Symbol.dispose]()
    await this.writer[Symbol.asyncDispose]()
    await this.#scanner?.[Symbol.asyncDispose]()
    await this.#database[Symbol.asyncDispose]()
    await this.ledger[Symbol.asyncDispose]()
  }
}

function assertWritable(directory: string): void {
  if (!existsSync(directory)) return
  try {
    accessSync(directory, constants.W_OK)
  } catch (error) {
    const what = `The data folder ${directory} cannot be written. Check who may write there, or name another folder.`
    throw new Error(what, { cause: error })
  }
}

async function stateOf(asked: Promise<unknown>): Promise<PartState> {
  const answer = asked.then(
    found => (found === false ? ('down' as const) : ('ok' as const)),
    () => 'down' as const,
  )
  return Promise.race([answer, sleep(HEALTH_TIMEOUT_MS, 'down' as const, { ref: false })])
}

async function begunStore(writer: Writer): Promise<KnownStore> {
  try {
    return await writer.call('beginStore', { now: new Date().toISOString() })
  } catch (error) {
    // At startup the caller needs to know why the writer stopped.
    throw error instanceof CodedError ? (error.cause ?? error) : error
  }
}
