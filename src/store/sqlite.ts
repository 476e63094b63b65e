import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Database, Params, Table, Value } from './database.ts'
import { Turns } from './turns.ts'

export interface SqliteOptions {
  path: string
  /** `full` survives a power cut with every acknowledged write, `normal` survives a killed process. */
  durability: 'full' | 'normal'
  cacheMegabytes: number
}

export class SqliteDatabase implements Database {
  readonly #connection: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #turns = new Turns()

  constructor({ path, durability, cacheMegabytes }: SqliteOptions) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    this.#connection = new DatabaseSync(path)
    this.#connection.exec(`
      PRAGMA busy_timeout = 30000;
      PRAGMA page_size = 8192;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${durability.toUpperCase()};
      PRAGMA cache_size = -${cacheMegabytes * 1024};
      PRAGMA secure_delete = FAST;
      PRAGMA temp_store = MEMORY;`)
    chmodSync(path, 0o600)
  }

  async get<Row extends object>(sql: string, params: Params = []): Promise<Row | undefined> {
    return this.#prepare(sql).get(...params) as Row | undefined
  }

  async all<Row extends object>(sql: string, params: Params = []): Promise<Row[]> {
    return this.#prepare(sql).all(...params) as Row[]
  }

  async run(sql: string, params: Params = []): Promise<number> {
    return Number(this.#prepare(sql).run(...params).changes)
  }

  async upsert(table: Table, rows: readonly Params[], onConflict?: string): Promise<void> {
    const columns = Object.keys(table.columns)
    const rest = columns.filter(column => !table.key.includes(column))
    const update = onConflict ?? rest.map(column => `${column} = excluded.${column}`).join(', ')
    const statement = this.#prepare(
      `INSERT INTO ${table.name} AS t (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
       ON CONFLICT (${table.key.join(', ')}) DO ${update === '' ? 'NOTHING' : `UPDATE SET ${update}`}`,
    )
    for (const row of rows) statement.run(...row)
  }

  oneOf(column: string): string {
    return `${column} IN (SELECT value FROM json_each(?))`
  }

  list(values: readonly string[]): Value {
    return JSON.stringify(values)
  }

  transaction<T>(work: (transaction: Database) => Promise<T>): Promise<T> {
    return this.#turns.take(async () => {
      this.#connection.exec('BEGIN IMMEDIATE')
      try {
        const result = await work(this)
        this.#connection.exec('COMMIT')
        return result
      } catch (error) {
        if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK')
        throw error
      }
    })
  }

  async define(sql: string): Promise<void> {
    this.#connection.exec(
      sql
        .replaceAll('BIGINT', 'INTEGER')
        .replaceAll('BYTES', 'BLOB')
        .replaceAll('/* clustered */', 'WITHOUT ROWID'),
    )
  }

  exclusively<T>(work: (database: Database) => Promise<T>): Promise<T> {
    return this.transaction(work)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#statements.clear()
    if (this.#connection.isOpen) this.#connection.close()
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#connection.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }
}
