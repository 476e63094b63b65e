import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Queryable, Transaction } from './database.ts'
import { GuardedDatabase } from './guarded-database.ts'
import { SerialQueue } from './serial-queue.ts'
import { SqliteStatements } from './sqlite-statements.ts'

export interface SqliteOptions {
  path: string
  /** `full` survives a power cut with every acknowledged write, `normal` survives a killed process. */
  durability: 'full' | 'normal'
  cacheMegabytes: number
  pageBytes: number
}

/** One connection: transactions wait for each other, and single statements wait for the transaction that is open. */
export class SqliteDatabase extends GuardedDatabase {
  protected readonly statements: SqliteStatements
  readonly #connection: DatabaseSync
  readonly #queue = new SerialQueue()

  constructor({ path, durability, cacheMegabytes, pageBytes }: SqliteOptions) {
    super()
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    this.#connection = new DatabaseSync(path)
    this.#connection.exec(`
      PRAGMA busy_timeout = 120000;
      PRAGMA page_size = ${pageBytes};
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${durability.toUpperCase()};
      PRAGMA cache_size = -${cacheMegabytes * 1024};
      PRAGMA secure_delete = FAST;`)
    chmodSync(path, 0o600)
    this.statements = new SqliteStatements(this.#connection)
  }

  exclusively<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.transaction(work)
  }

  async frozen(): Promise<Queryable> {
    this.#connection.exec('BEGIN')
    await this.statements.get('SELECT count(*) AS n FROM sqlite_schema')
    return this
  }

  async noteGrowth(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {
    this.statements.clear()
    if (this.#connection.isOpen) this.#connection.close()
  }

  protected runAlone<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.isEmpty ? work() : this.#queue.add(work)
  }

  protected runTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#queue.add(async () => {
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
}
