import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database, Lease, Params, Queryable, Select, Transaction, Value, Write } from './database.ts'
import type { NewRow, Table } from './table.ts'
import { explained } from './unavailable.ts'
import type { WordIndex } from './word-index.ts'

/** Statements that each run through one function, which may wait, refuse, or explain an error. */
export abstract class GuardedStatements implements Queryable {
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

  readonly words: WordIndex = {
    add: (owner_id, rows) => this.guard(() => this.statements.words.add(owner_id, rows)),
    tidy: () => this.guard(() => this.statements.words.tidy()),
    remove: (owner_id, records) => this.guard(() => this.statements.words.remove(owner_id, records)),
    match: (...asked) => this.guard(() => this.statements.words.match(...asked)),
  }
}

/**
 * What the engines share: statements outside transactions, errors that say what to do, and the refusal of calls from
 * inside a transaction. There SQLite would wait for itself, and PostgreSQL would not see what the transaction wrote.
 */
export abstract class GuardedDatabase extends GuardedStatements implements Database {
  readonly #inside = new AsyncLocalStorage<true>()

  protected abstract runAlone<T>(work: () => Promise<T>): Promise<T>
  protected abstract runTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  abstract exclusively<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  abstract frozen(): Promise<Queryable>
  abstract noteGrowth(records: number): Promise<void>
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
    return { database: this, stop: async () => {}, release() {} }
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
