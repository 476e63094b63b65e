import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SerialQueue } from '../../model/serial-queue.ts'
import type { Queryable, Transaction } from './database.ts'
import { databaseUnavailable, GuardedDatabase } from './guarded-database.ts'
import { SqliteStatements } from './sqlite-statements.ts'

/** After this many pages the write-ahead log is copied into the file; the thread waits for the disk. */
const CHECKPOINT_PAGES = 4_000

interface SqliteOptions {
  path: string
  /**
   * A line of the ledger survives a killed process, but not always a power failure. Lines are written one at a time, each
   * in a transaction, so small pages mean less to write. Each use checks that the file still exists: writes to a deleted
   * file are lost without an error.
   */
  isLedger: boolean
  /** How long a statement waits while another process holds the lock. The thread is blocked meanwhile. */
  lockTimeoutMs: number
  cacheMegabytes: number
}

/** One connection: transactions wait for each other, and single statements wait for the open transaction. */
export class SqliteDatabase extends GuardedDatabase {
  protected readonly statements: SqliteStatements
  readonly #connection: DatabaseSync
  readonly #queue = new SerialQueue()
  readonly #path: string
  readonly #file: number | null

  constructor({ path, isLedger, lockTimeoutMs, cacheMegabytes }: SqliteOptions) {
    super()
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    this.#connection = new DatabaseSync(path)
    this.#connection.exec(`
      PRAGMA busy_timeout = ${lockTimeoutMs};
      PRAGMA page_size = ${isLedger ? 4_096 : 8_192};
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${isLedger ? 'NORMAL' : 'FULL'};
      PRAGMA cache_size = -${cacheMegabytes * 1024};
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
      PRAGMA secure_delete = FAST;`)
    chmodSync(path, 0o600)
    this.#path = path
    this.#file = isLedger ? statSync(path).ino : null
    this.statements = new SqliteStatements(this.#connection)
  }

  override get changes(): number | null {
    try {
      return this.statements.dataVersion
    } catch {
      // The query that is made instead says what is wrong.
      return null
    }
  }

  exclusively<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.transaction(work)
  }

  async frozen(): Promise<Queryable> {
    this.#connection.exec('BEGIN')
    await this.statements.get('SELECT count(*) AS n FROM sqlite_schema')
    return this
  }

  noteGrowth(): void {}

  async [Symbol.asyncDispose](): Promise<void> {
    this.statements.clear()
    if (this.#connection.isOpen) this.#connection.close()
  }

  protected runAlone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#file !== null) this.#assertInPlace()
    return this.#connection.isTransaction ? this.#queue.add(work) : work()
  }

  protected runTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#queue.add(async () => {
      if (this.#file !== null) this.#assertInPlace()
      this.#connection.exec('BEGIN IMMEDIATE')
      try {
        const result = await work(this.statements)
        this.#connection.exec('COMMIT')
        return result
      } catch (error) {
        if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK')
        throw error
      }
    })
  }

  #assertInPlace(): void {
    if (statSync(this.#path, { throwIfNoEntry: false })?.ino === this.#file) return
    const name = basename(this.#path)
    throw databaseUnavailable(`The database file ${name} was deleted or replaced. Restart the server.`)
  }
}

/** Copies a consistent snapshot of a database while others read and write it. */
export function copySqlite(from: string, to: string): void {
  const connection = new DatabaseSync(from, { timeout: 120_000 })
  try {
    connection.prepare('VACUUM INTO ?').run(to)
  } finally {
    connection.close()
  }
}
