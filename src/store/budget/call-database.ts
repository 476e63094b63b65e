import type {
  Database,
  Lease,
  Params,
  Queryable,
  Select,
  Transaction,
  Value,
  Write,
} from '../engine/database.ts'
import type { NewRow, Table } from '../engine/table.ts'
import type { WordIndex } from '../engine/word-index.ts'
import { type Budget, BudgetExceeded, ClientLeft } from './budget.ts'

/** PostgreSQL's code for a cancelled statement. */
const STATEMENT_STOPPED = '57014'

/** A database as seen by one request: each statement checks the request's budget first. */
export class CallDatabase implements Database {
  readonly #database: Database
  readonly #budget: Budget
  readonly words: WordIndex

  constructor(database: Database, budget: Budget) {
    this.#database = database
    this.#budget = budget
    const { words } = database
    this.words = {
      add: (owner_id, rows) => this.#asked(() => words.add(owner_id, rows)),
      tidy: () => this.#asked(() => words.tidy()),
      remove: (owner_id, records) => this.#asked(() => words.remove(owner_id, records)),
      match: (...asked) => this.#asked(() => words.match(...asked)),
    }
  }

  get identity(): object {
    return this.#database.identity
  }

  get losses(): number | null {
    return this.#database.losses
  }

  get changes(): number | null {
    return this.#database.changes
  }

  lease(): Lease {
    return this.#database.lease()
  }

  get<Row extends object>(sql: string, params?: Params): Promise<Row | undefined> {
    return this.#asked(() => this.#database.get<Row>(sql, params))
  }

  all<Row extends object>(sql: string, params?: Params): Promise<Row[]> {
    return this.#asked(() => this.#database.all<Row>(sql, params))
  }

  numbers(sql: string, params?: Params): Promise<number[]> {
    return this.#asked(() => this.#database.numbers(sql, params))
  }

  run(sql: string, params?: Params): Promise<number> {
    return this.#asked(() => this.#database.run(sql, params))
  }

  insert<T extends Table>(table: T, rows: readonly NewRow<T>[]): Promise<void> {
    return this.#asked(() => this.#database.insert(table, rows))
  }

  insertNew<T extends Table>(table: T, rows: readonly NewRow<T>[]): Promise<number> {
    return this.#asked(() => this.#database.insertNew(table, rows))
  }

  upsert<T extends Table>(table: T, rows: readonly NewRow<T>[], update?: string): Promise<void> {
    return this.#asked(() => this.#database.upsert(table, rows, update))
  }

  writeTogether(writes: readonly Write[]): Promise<void> {
    return this.#asked(() => this.#database.writeTogether(writes))
  }

  define(sql: string): Promise<void> {
    return this.#asked(() => this.#database.define(sql))
  }

  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#asked(() => this.#database.transaction(work))
  }

  exclusively<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#asked(() => this.#database.exclusively(work))
  }

  frozen(): Promise<Queryable> {
    return this.#database.frozen()
  }

  noteGrowth(records: number): Promise<void> {
    return this.#database.noteGrowth(records)
  }

  contains(column: string): string {
    return this.#database.contains(column)
  }

  oneOf(column: string, type: 'text' | 'bigint'): string {
    return this.#database.oneOf(column, type)
  }

  list(values: readonly (string | number)[]): Value {
    return this.#database.list(values)
  }

  mergeInOrder(selects: readonly Select[], order: string, limit: number): Select {
    return this.#database.mergeInOrder(selects, order, limit)
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #asked<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#budget.run(work)
    } catch (error) {
      if ((error as { code?: unknown }).code !== STATEMENT_STOPPED) throw error
      throw this.#budget.signal?.aborted ? new ClientLeft() : new BudgetExceeded()
    }
  }
}

/**
 * Runs work with a database view for one request. A statement that is still running when the client disconnects is
 * cancelled.
 */
export async function withLease<T>(
  database: Database,
  left: AbortSignal,
  work: (view: Database) => Promise<T>,
): Promise<T> {
  const lease = database.lease()
  let stopping: Promise<void> | null = null
  const stop = () => {
    // If the database cannot be reached, the statement has stopped anyway.
    stopping = lease.stop().catch(() => {})
  }
  left.addEventListener('abort', stop, { once: true })
  try {
    return await work(lease.database)
  } finally {
    left.removeEventListener('abort', stop)
    await stopping
    lease.release()
  }
}
