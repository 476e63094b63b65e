import { AsyncLocalStorage } from 'node:async_hooks'
import { type CodedError, serviceUnavailable } from '../../model/errors.ts'
import type { Database, Lease, Params, Queryable, Select, Transaction, Value, Write } from './database.ts'
import type { NewRow, Table } from './table.ts'
import type { WordLookup } from './word-index.ts'

/** Reads that each run through one function, which may wait, refuse, or explain an error. */
export abstract class GuardedReads implements Queryable {
  protected abstract readonly statements: Queryable
  protected abstract guard<T>(work: () => Promise<T>): Promise<T>

  get<Row extends object>(sql: string, params?: Params): Promise<Row | undefined> {
    return this.guard(() => this.statements.get<Row>(sql, params))
  }

  all<Row extends object>(sql: string, params?: Params): Promise<Row[]> {
    return this.guard(() => this.statements.all<Row>(sql, params))
  }

  numbers(sql: string, params?: Params): Promise<number[]> {
    return this.guard(() => this.statements.numbers(sql, params))
  }

  contains(column: string): string {
    return this.statements.contains(column)
  }

  oneOf(column: string, type: 'text' | 'bigint'): string {
    return this.statements.oneOf(column, type)
  }

  list(values: readonly (string | number)[]): Value {
    return this.statements.list(values)
  }

  mergeInOrder(selects: readonly Select[], order: string, limit: number): Select {
    return this.statements.mergeInOrder(selects, order, limit)
  }

  readonly words: WordLookup = {
    match: (...asked) => this.guard(() => this.statements.words.match(...asked)),
  }
}

/**
 * What the engines share: statements outside transactions, errors that say what to do, and the refusal of calls from
 * inside a transaction. There SQLite would wait for itself, and PostgreSQL would not see what the transaction wrote.
 */
export abstract class GuardedDatabase extends GuardedReads implements Database {
  protected abstract override readonly statements: Transaction
  readonly #inside = new AsyncLocalStorage<true>()

  protected abstract runAlone<T>(work: () => Promise<T>): Promise<T>
  protected abstract runTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  abstract exclusively<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  abstract frozen(): Promise<Queryable>
  abstract noteGrowth(records: number): void
  abstract [Symbol.asyncDispose](): Promise<void>

  get identity(): object {
    return this
  }

  get losses(): number | null {
    return null
  }

  get changes(): number | null {
    return null
  }

  lease(): Lease {
    return { view: this, stop: async () => {}, release() {} }
  }

  run(sql: string, params?: Params): Promise<number> {
    return this.guard(() => this.statements.run(sql, params))
  }

  insert<T extends Table>(table: T, rows: readonly NewRow<T>[]): Promise<void> {
    return this.guard(() => this.statements.insert(table, rows))
  }

  insertNew<T extends Table>(table: T, rows: readonly NewRow<T>[]): Promise<number> {
    return this.guard(() => this.statements.insertNew(table, rows))
  }

  upsert<T extends Table>(table: T, rows: readonly NewRow<T>[], update?: string): Promise<void> {
    return this.guard(() => this.statements.upsert(table, rows, update))
  }

  writeTogether(writes: readonly Write[]): Promise<void> {
    return this.guard(() => this.statements.writeTogether(writes))
  }

  define(sql: string): Promise<void> {
    return this.guard(() => this.statements.define(sql))
  }

  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#outside(() =>
      this.runTransaction(transaction => this.#inside.run(true, () => work(transaction))),
    )
  }

  protected guard<T>(work: () => Promise<T>): Promise<T> {
    return this.#outside(() => this.runAlone(work))
  }

  async #outside<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside.getStore())
      throw new Error('This code runs inside a transaction of this database. Use the transaction instead.')
    try {
      return await work()
    } catch (error) {
      throw explained(error)
    }
  }
}

const RETRY_AFTER_S = 5

/** SQLite's result codes: see https://sqlite.org/rescode.html. */
const SQLITE: Record<number, string> = {
  5: 'Another program has locked the database file.',
  6: 'Another program has locked the database file.',
  8: 'The database file cannot be written.',
  10: 'The database file cannot be read or written.',
  13: 'The disk is full. Free some space.',
  14: 'The database file cannot be opened.',
}

/** Prefixes of PostgreSQL's error codes, and the network error codes. */
const POSTGRES: readonly [RegExp, string][] = [
  [/^(?:08|57P|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)/, 'The database cannot be reached.'],
  [/^53100$/, 'The disk of the database is full. Free some space.'],
  [/^53/, 'The database has no room for more work.'],
  [/^55P03$/, 'Another program has locked the database.'],
  [/^25006$/, 'The database is read-only.'],
]
/** Errors that have no code. */
const LOST =
  /^Connection terminated|^timeout ex(?:ceeded when trying to connect|pired$)|^Client has encountered a connection error/

/** The error for callers if the database is currently unavailable; any other error unchanged. */
export function explained(error: unknown): unknown {
  const what = reasonOf(error)
  return what === undefined ? error : databaseUnavailable(what, error)
}

/** `what` is a complete sentence. */
export function databaseUnavailable(what: string, cause?: unknown): CodedError {
  return serviceUnavailable(what, RETRY_AFTER_S, cause)
}

function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  if (code === 'ERR_SQLITE_ERROR') return SQLITE[Number(errcode) & 0xff]
  if (typeof code === 'string') return POSTGRES.find(([pattern]) => pattern.test(code))?.[1]
  return LOST.test(error.message) ? 'The database cannot be reached.' : undefined
}
