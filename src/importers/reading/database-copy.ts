import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { CodedError } from '../../model/errors.ts'
import type { SourceFile } from '../source/source.ts'

export type Row = Record<string, SQLOutputValue>

/**
 * A SQLite database of another program, in a temporary copy, because the program may be writing to the original. Its
 * log (`-wal`) is copied too. A rollback journal is not copied, because it may name other files, which SQLite would
 * delete.
 */
export class DatabaseCopy implements AsyncDisposable {
  readonly #database: DatabaseSync
  readonly #folder: string
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()

  private constructor(folder: string) {
    this.#folder = folder
    this.#database = new DatabaseSync(join(folder, 'copy.db'))
    this.#database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON')
  }

  /** `tables` are the tables that are read. None of them may be a view, because a view could compute anything. */
  static async of(
    file: SourceFile,
    log: SourceFile | undefined,
    tables: readonly string[],
  ): Promise<DatabaseCopy> {
    const folder = await mkdtemp(join(tmpdir(), 'footnote-database-'))
    try {
      await pipeline(file.open(), createWriteStream(join(folder, 'copy.db')))
      if (log) await pipeline(log.open(), createWriteStream(join(folder, 'copy.db-wal')))
      const copy = new DatabaseCopy(folder)
      const missing = tables.find(name => !copy.#hasTable(name))
      if (missing === undefined) return copy
      copy.#database.close()
      throw new CodedError('source_unreadable', `${file.path} has no table ${missing}.`)
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      throw unreadableDatabase(file, error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close()
    await rm(this.#folder, { recursive: true, force: true })
  }

  exec(sql: string): void {
    this.#database.exec(sql)
  }

  *rows(sql: string, ...values: (string | number)[]): Generator<Row> {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    yield* statement.iterate(...values) as Iterable<Row>
  }

  #hasTable(name: string): boolean {
    const sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?"
    return [...this.rows(sql, name)].some(found => !/^CREATE VIRTUAL/i.test(String(found.sql)))
  }
}

/** The text of a column; null if it is empty or not text. */
export function textOf(value: SQLOutputValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** The value of a column, or null if it is too large. */
export function bounded(column: string, mostBytes: number): string {
  return `CASE WHEN octet_length(${column}) <= ${mostBytes} THEN ${column} END`
}

/** Turns an error of the database into an error about the file. */
export function unreadableDatabase(file: SourceFile, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== 'ERR_SQLITE_ERROR' && code !== 'ERR_OUT_OF_RANGE') return error
  return new CodedError('source_unreadable', `${file.path} cannot be read as a database: ${message}.`)
}
