import { setTimeout as sleep } from 'node:timers/promises'
import { CodedError } from '../../model/errors.ts'
import { type PagePosition, PagePositions } from '../access/page-positions.ts'
import { DISCLOSURES, PAGE_POSITIONS } from '../access/tables.ts'
import type { Database, Write } from '../engine/database.ts'
import { timeOrderedId } from '../engine/identifiers.ts'
import { type Disclosure, type DisclosureQuery, listDisclosures, type NewDisclosure } from './disclosures.ts'
import { LedgerChain, type Line, type UnlinkedLine } from './ledger-chain.ts'
import { addBlocks, forgetBlocks } from './line-blocks.ts'

const RETRY_AFTER_S = 5
const LOCK_PATIENCE_MS = 2_000
const LOCK_PAUSE_MS = 25
const SQLITE_BUSY = 5

/** Writes the ledger. Lines from requests that end at the same moment are written together. */
export class Ledger implements AsyncDisposable {
  readonly database: Database
  readonly positions: PagePositions
  /** How many lines this process has written, and how many it failed to write. */
  written = 0
  failed = 0
  readonly #directory: string
  readonly #recent: RecentLines
  #chain: LedgerChain | null = null
  #waiting: UnlinkedLine[] = []
  /** By their key. */
  #positions = new Map<string, PagePosition>()
  #flush: Promise<void> | null = null
  #writing: Promise<unknown> = Promise.resolve()
  #adding: Promise<void> = Promise.resolve()
  readonly #closing = new AbortController()

  constructor(database: Database, directory: string) {
    this.database = database
    this.positions = new PagePositions(database)
    this.#directory = directory
    this.#recent = new RecentLines(database)
  }

  /**
   * Resolves when the line is written, and where the pages of the response ended, without waiting for the disk. The
   * response is sent after that.
   */
  add(owner_id: string, disclosure: NewDisclosure, positions: readonly PagePosition[]): Promise<void> {
    this.#waiting.push({
      ...disclosure,
      owner_id,
      disclosure_id: timeOrderedId(new Date(disclosure.at)),
      grant_ids: disclosure.grant_ids.join(' '),
    })
    for (const position of positions) this.#positions.set(position.position_key, position)
    this.#flush ??= this.#write()
    return this.#flush
  }

  /** The newest lines, as far as a query asks for them. */
  list(query: DisclosureQuery): Promise<Disclosure[]> {
    return listDisclosures(this.database, this.#directory, query)
  }

  /** Notes which records older lines show. */
  addBlocks(owner_id: string, now: Date): Promise<void> {
    this.#adding = addBlocks(this.database, this.#directory, { owner_id, now }, this.#closing.signal)
    return this.#adding
  }

  /** Fails if lines cannot be written at the moment. */
  async probe(): Promise<void> {
    await this.#recent.restore()
    await this.database.transaction(transaction =>
      transaction.get('SELECT disclosure_id FROM disclosures LIMIT 1'),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled([this.#writing, this.#adding])
    this.#recent[Symbol.dispose]()
    this.#chain?.end()
    await this.database[Symbol.asyncDispose]()
  }

  async #write(): Promise<void> {
    await new Promise(setImmediate)
    await this.#writing
    const lines = this.#waiting
    const positions = [...this.#positions.values()]
    this.#waiting = []
    this.#positions = new Map()
    this.#flush = null
    const written = this.#store(lines, positions)
    this.#writing = written.catch(() => {})
    await written
  }

  async #store(lines: readonly UnlinkedLine[], positions: readonly PagePosition[]): Promise<void> {
    try {
      await this.#recent.restore()
      this.#chain ??= await this.#begin(lines[0] as UnlinkedLine)
      const linked = this.#chain.link(lines)
      await this.#whenUnlocked(() => this.#insert(linked, positions))
      this.#recent.add(linked)
      if (positions.length > 0) this.positions.remember(positions)
      const last = linked.at(-1)
      if (last) this.#chain.confirm(last)
      this.written += linked.length
    } catch (error) {
      // It is unknown whether these lines were stored, so no more lines can be added to the same chain.
      this.#chain = null
      this.failed += lines.length
      const message = `The ledger cannot be written, so nothing is shown. Repeat the request in ${RETRY_AFTER_S} seconds.`
      throw new CodedError('ledger_unavailable', message, { retry_after: RETRY_AFTER_S }, error)
    }
  }

  async #begin({ owner_id, disclosure_id }: UnlinkedLine): Promise<LedgerChain> {
    await forgetBlocks(this.database, owner_id, disclosure_id)
    return LedgerChain.begin(this.database, this.#directory, owner_id)
  }

  #insert(lines: readonly Line[], positions: readonly PagePosition[]): Promise<void> {
    if (positions.length === 0) return this.database.insert(DISCLOSURES, lines)
    const kept: Write = { table: PAGE_POSITIONS, rows: positions, existing: 'replace' }
    return this.database.writeTogether([kept, { table: DISCLOSURES, rows: lines, existing: 'fail' }])
  }

  /** Another program may hold the lock for a moment. Waiting inside SQLite would stop the whole server meanwhile. */
  async #whenUnlocked(work: () => Promise<void>): Promise<void> {
    for (const end = Date.now() + LOCK_PATIENCE_MS; ; ) {
      try {
        return await work()
      } catch (error) {
        if (!isLocked(error) || Date.now() > end) throw error
        await sleep(LOCK_PAUSE_MS)
      }
    }
  }
}

function isLocked(error: unknown): boolean {
  const { errcode } = ((error as Error).cause ?? {}) as { errcode?: number }
  return errcode !== undefined && (errcode & 0xff) === SQLITE_BUSY
}

/** PostgreSQL writes what did not wait for the disk within 600 ms, unless it is configured to take longer. */
const KEPT_MS = 3_000
const LOOK_MS = 1_000
const MOST_KEPT = 10_000

/**
 * The lines of the last seconds. If the database is killed it may lose them, because they did not wait for the disk;
 * then they are written again.
 */
class RecentLines implements Disposable {
  readonly #database: Database
  #kept: { lines: readonly Line[]; since: number }[] = []
  #count = 0
  #losses: number | null
  #looking: NodeJS.Timeout | undefined

  constructor(database: Database) {
    this.#database = database
    this.#losses = database.losses
  }

  add(lines: readonly Line[]): void {
    if (this.#losses === null) return
    this.#kept.push({ lines, since: performance.now() })
    this.#count += lines.length
    while (this.#count > MOST_KEPT) this.#forgetFirst()
    this.#looking ??= setInterval(() => this.#look(), LOOK_MS).unref()
  }

  /** Writes the lines again if a connection was lost since. Lines that are still stored are unchanged. */
  async restore(): Promise<void> {
    const { losses } = this.#database
    if (losses === this.#losses) return
    const lines = this.#kept.flatMap(each => each.lines)
    if (lines.length > 0) await this.#database.insertNew(DISCLOSURES, lines)
    for (const each of this.#kept) each.since = performance.now()
    this.#losses = losses
  }

  [Symbol.dispose](): void {
    clearInterval(this.#looking)
  }

  #look(): void {
    if (this.#database.losses !== this.#losses) {
      // If that fails, the database is still down, and the next check tries again.
      this.restore().catch(() => {})
      return
    }
    const old = performance.now() - KEPT_MS
    while (this.#kept[0] && this.#kept[0].since < old) this.#forgetFirst()
    if (this.#kept.length > 0) return
    clearInterval(this.#looking)
    this.#looking = undefined
  }

  #forgetFirst(): void {
    this.#count -= this.#kept.shift()?.lines.length ?? 0
  }
}
