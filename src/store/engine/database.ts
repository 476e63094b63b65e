import type { NewRow, Table } from './table.ts'
import type { WordIndex, WordLookup } from './word-index.ts'

export type Value = string | number | null | Uint8Array
export type Params = readonly Value[]

export interface Select {
  sql: string
  params: Params
}

/**
 * Reads from a database or inside a transaction. SQL is written once, with `?` for parameters; text compares by code
 * points on every engine.
 */
export interface Queryable {
  /** The first row; undefined if there is none. */
  get<Row extends object>(sql: string, params?: Params): Promise<Row | undefined>
  all<Row extends object>(sql: string, params?: Params): Promise<Row[]>
  /** The column `n` of every row, in order. Much cheaper than returning the rows. */
  numbers(sql: string, params?: Params): Promise<number[]>
  /** A condition that is true if the column contains a text exactly. The text is passed as a parameter. */
  contains(column: string): string
  /** A condition that is true if the column is one of a list, which is passed as one parameter: `list(values)`. */
  oneOf(column: string, type: 'text' | 'bigint'): string
  list(values: readonly (string | number)[]): Value
  /**
   * The first rows of several selects in one order. An index of each select has that order, and the engine reads no
   * further than it must.
   */
  mergeInOrder(selects: readonly Select[], order: string, limit: number): Select
  /** The index of words that finds records. */
  readonly words: WordLookup
}

/** Reads and writes. */
export interface Writable extends Queryable {
  /** The number of rows that were changed. */
  run(sql: string, params?: Params): Promise<number>
  /** Adds all rows or none; fails if one of them exists. */
  insert<T extends Table>(table: T, rows: readonly NewRow<T>[]): Promise<void>
  /** Adds the rows that do not exist under any unique key, and returns how many were added. */
  insertNew<T extends Table>(table: T, rows: readonly NewRow<T>[]): Promise<number>
  /** Writes rows by key: a row that exists is replaced, or changed according to `update` (`n = t.n + excluded.n`). */
  upsert<T extends Table>(table: T, rows: readonly NewRow<T>[], update?: string): Promise<void>
  /** Writes to several tables: in one transaction if that costs less, otherwise in one round trip. */
  writeTogether(writes: readonly Write[]): Promise<void>
  /** Runs statements that define tables, in the portable types TEXT, BIGINT and BYTES, or the word index. */
  define(sql: string): Promise<void>
}

/** Rows to add to a table; those that exist are replaced, or make it fail. */
export interface Write<T extends Table = Table> {
  table: T
  rows: readonly NewRow<T>[]
  existing: 'replace' | 'fail'
}

/** Statements that take effect together. A function that takes a `Transaction` cannot be given a database. */
export interface Transaction extends Writable {
  readonly words: WordIndex
  readonly transaction?: never
}

/** A database that can only be read, perhaps by one request. */
export interface View extends Queryable {
  /** The same for every view of one database. */
  readonly identity: object
}

/** The only way to access a database. Differences between engines are hidden behind this port. */
export interface Database extends View, Writable, AsyncDisposable {
  /**
   * How many times a connection was lost: an engine that was killed may have lost writes that did not wait for the
   * disk. Null for an engine inside this process.
   */
  readonly losses: number | null
  /**
   * A number that differs after each change that other connections have committed. Reading it costs less than a query.
   * Null if the engine does not offer it.
   */
  readonly changes: number | null
  /** A view for one request. Its statements do not wait for those of other requests, if the engine supports that. */
  lease(): Lease
  /**
   * Runs the work completely or not at all. The work must use the transaction that it is given: a call to this database
   * from inside fails immediately. Transactions of this process and of others may run at the same time, so a
   * transaction that makes a decision based on what it reads must be a `lockedTransaction`.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** A transaction that runs while no other process migrates this database. */
  exclusively<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /**
   * Reads a consistent snapshot until this database is disposed of; writers are not blocked. For a connection that
   * is used for nothing else.
   */
  frozen(): Promise<Queryable>
  /**
   * Reports that records were added. An engine whose planner uses statistics begins to update them when the data has
   * grown enough; nobody waits for that.
   */
  noteGrowth(records: number): void
}

export interface Lease {
  view: View
  /** Cancels the statement that is running for this lease, if the engine supports that. */
  stop(): Promise<void>
  release(): void
}

/** Where a store is located. */
export type Location = {
  /** The data folder. With PostgreSQL it contains only what must be outside the database: the key of the ledger. */
  directory: string
} & ({ engine: 'sqlite' } | { engine: 'postgres'; url: string })
