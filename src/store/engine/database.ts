import type { NewRow, Table } from './table.ts'
import type { WordIndex } from './word-index.ts'

export type Value = string | number | null | Uint8Array
export type Params = readonly Value[]

/**
 * Statements on a database or inside a transaction. SQL is written once, with `?` for parameters; text compares by code
 * points on every engine.
 */
export interface Queryable {
  /** The first row; undefined when there is none. */
  get<Row extends object>(sql: string, params?: Params): Promise<Row | undefined>
  all<Row extends object>(sql: string, params?: Params): Promise<Row[]>
  /** The column `n` of every row, in order: much cheaper than as many rows. */
  numbers(sql: string, params?: Params): Promise<number[]>
  /** The number of rows that were changed. */
  run(sql: string, params?: Params): Promise<number>
  /** Adds rows, all of them or none; fails if one exists. */
  insert<T extends Table>(table: T, rows: readonly NewRow<T>[]): Promise<void>
  /** Adds the rows that do not exist, by any unique key, and returns how many there were. */
  insertNew<T extends Table>(table: T, rows: readonly NewRow<T>[]): Promise<number>
  /** Writes rows by key: a row that exists is replaced, or changed as `update` says (`n = t.n + excluded.n`). */
  upsert<T extends Table>(table: T, rows: readonly NewRow<T>[], update?: string): Promise<void>
  /** A condition that holds when the column has a text in it, letter for letter, which is passed as a parameter. */
  contains(column: string): string
  /** A condition that holds when the column is one of a list, which is passed as one parameter: `list(values)`. */
  oneOf(column: string, type: 'text' | 'bigint'): string
  list(values: readonly (string | number)[]): Value
  /** The words that records can be found by. */
  readonly words: WordIndex
  /** Runs statements that define tables, in the portable types TEXT, BIGINT and BYTES, or the word index. */
  define(sql: string): Promise<void>
}

/** Statements that take effect together. A function that takes a `Transaction` cannot be given a database. */
export interface Transaction extends Queryable {
  readonly transaction?: never
}

/** The one way to a database. What an engine does differently stays behind this port. */
export interface Database extends Queryable, AsyncDisposable {
  /** The same for every view of one database. */
  readonly identity: object
  /**
   * How often a connection was lost: an engine that was killed may have lost what did not wait for the disk. Null for an
   * engine inside of this process.
   */
  readonly losses: number | null
  /** A view for one request, whose statements do not wait for those of other requests if the engine can do that. */
  lease(): Lease
  /**
   * Runs the work as a whole or not at all. The work must use the transaction it is given: a call to this database from
   * inside fails at once. Transactions of this process and of others may run at the same time, so one that decides by
   * what it reads is a `lockedTransaction`.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** A transaction that runs while no other process migrates this database. */
  exclusively<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /**
   * Reads a consistent snapshot until this database is disposed of; writers are not blocked. For a connection that
   * is used for nothing else.
   */
  frozen(): Promise<Queryable>
  /** Tells that records were added; an engine that plans by statistics renews them when the data has grown enough. */
  noteGrowth(records: number): Promise<void>
}

export interface Lease {
  database: Database
  /** Stops the statement that runs for it, where the engine can do that. */
  stop(): Promise<void>
  release(): void
}

/** Where a store lives. */
export type Location = {
  /** The data folder. With PostgreSQL it holds only what must be outside of the database: the key of the ledger. */
  directory: string
} & ({ engine: 'sqlite' } | { engine: 'postgres'; url: string })
