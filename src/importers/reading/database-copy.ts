import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { CodedError } from '../../model/errors.ts'
import type { SourceFile } from '../source/source.ts'

export type Row = Record<string, SQLOutputValue>

/** The tables that are read. Of each, the column that numbers its rows, if it has one. */
export type Tables = Readonly<Record<string, string | null>>

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
    this.#database.exec(
      'PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA ignore_check_constraints = ON',
    )
  }

  /** Refuses a database from which more could be read than is stored in it. */
  static async of(file: SourceFile, log: SourceFile | undefined, tables: Tables): Promise<DatabaseCopy> {
    const folder = await mkdtemp(join(tmpdir(), 'footnote-database-'))
    try {
      await pipeline(file.open(), createWriteStream(join(folder, 'copy.db')))
      if (log) await pipeline(log.open(), createWriteStream(join(folder, 'copy.db-wal')))
      const copy = new DatabaseCopy(folder)
      try {
        copy.#assertStored(file, tables)
        return copy
      } catch (error) {
        copy.#database.close()
        throw error
      }
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

  #assertStored(file: SourceFile, tables: Tables): void {
    const missing = Object.keys(tables).find(name => !this.#hasTable(name))
    if (missing !== undefined)
      throw new CodedError('source_unreadable', `${file.path} has no table ${missing}.`)
    for (const [name, number] of Object.entries(tables)) {
      if (!this.#isPlain(name, number))
        throw new CodedError('source_unreadable', `The table ${name} of ${file.path} has unexpected columns.`)
      // Pages that are used twice could give more rows than there are disks.
      const [found] = this.rows(`PRAGMA quick_check(${name})`)
      if (found?.quick_check !== 'ok')
        throw new CodedError('source_unreadable', `The table ${name} of ${file.path} is damaged.`)
    }
  }

  /** A view could compute anything, for as long as it likes. */
  #hasTable(name: string): boolean {
    const sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?"
    return [...this.rows(sql, name)].some(found => !/^CREATE VIRTUAL/i.test(String(found.sql)))
  }

  /**
   * Whether no column is computed, and the number of a row is its own: without that, a join could give every pair of
   * rows.
   */
  #isPlain(table: string, number: string | null): boolean {
    const columns = [...this.rows('SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)', table)]
    const keys = columns.filter(({ pk }) => pk !== 0)
    const [key] = keys
    const isNumbered =
      keys.length === 1 && key?.name === number && String(key.type).toUpperCase() === 'INTEGER'
    return columns.every(({ hidden }) => hidden === 0) && (number === null || isNumbered)
  }
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

const SEARCHED_BYTES = 64 * 1024 * 1024
/** Longer than the start of a table definition up to its name. */
const OVERLAP = 200

/** The first of these tables that a file defines, if it is a SQLite database. */
export async function tableIn<Name extends string>(
  file: SourceFile,
  names: readonly Name[],
): Promise<Name | null> {
  const head = await file.head().catch(() => Buffer.alloc(0))
  if (!head.toString('latin1').startsWith('SQLite format 3\0')) return null
  const defined = new RegExp(`CREATE TABLE ["\`[]?(${names.join('|')})\\b`)
  let searched = 0
  let last = ''
  for await (const chunk of file.open()) {
    const text = last + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
    const found = defined.exec(text)?.[1]
    if (found !== undefined) return found as Name
    searched += chunk.length
    if (searched > SEARCHED_BYTES) return null
    last = text.slice(-OVERLAP)
  }
  return null
}

/** The files that SQLite keeps beside a database while it is open. */
export function filesBeside(databases: readonly SourceFile[], files: readonly SourceFile[]): SourceFile[] {
  const paths = new Set(
    databases.flatMap(({ path }) => ['-wal', '-shm', '-journal'].map(end => `${path}${end}`)),
  )
  return files.filter(({ path }) => paths.has(path))
}
