import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { RecentlyUsed } from '../../model/recently-used.ts'
import { rowId } from '../../model/search/row-numbers.ts'
import { merged } from './composed-sql.ts'
import type { Params, Select, Transaction, Value, Write } from './database.ts'
import { collectNow } from './heap.ts'
import { type Conflict, columnsOf, insertStatement, type NewRow, type Table } from './table.ts'
import { TOKEN_INDEXES, tokenIndex, type WordIndex, writeExpression } from './word-index.ts'

/** Each prepared statement uses memory, and each combination of filters is a separate statement. */
const MOST_PREPARED = 200
const MOST_DROPPED = 500

/** How much of the word index is buffered until the end of a transaction. Anything written earlier has to be merged. */
const PENDING_BYTES = 4 * 1024 * 1024

/**
 * Segments of the index are merged, a few pages with each batch, when there are this many of about the same size. The
 * higher the number, the fewer times a record is merged while many are imported; when the writer is idle, `tidy`
 * reduces them to a few. At the second number all are merged at once, which a batch would have to wait for.
 */
const SEGMENTS_TO_MERGE = 64
const SEGMENTS_AT_MOST = 4 * SEGMENTS_TO_MERGE

const OPTIONS = {
  usermerge: 2,
  hashsize: PENDING_BYTES,
  automerge: SEGMENTS_TO_MERGE,
  crisismerge: SEGMENTS_AT_MOST,
}

const TOKEN_INDEX = TOKEN_INDEXES.map(name => {
  const table = `CREATE VIRTUAL TABLE ${name} USING fts5(
    words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');`
  const options = Object.entries(OPTIONS).map(
    ([option, value]) => `INSERT INTO ${name} (${name}, rank) VALUES ('${option}', ${value});`,
  )
  return [table, ...options].join('\n')
}).join('\n')

/**
 * A file has one owner, and FTS5 has one integer as its key. So for a table whose key is the owner and a row number,
 * the row number alone is the key.
 */
const ROW_KEY = 'row_id'

function keyOf({ key }: Table): readonly string[] {
  return key.length === 2 && key[1] === ROW_KEY ? [ROW_KEY] : key
}

interface Insert {
  columns: readonly string[]
  sql: string
}

const inserts = new WeakMap<Table, Map<string, Insert>>()

/** Built once for each table and conflict, because every request adds a line to the ledger. */
function insertOf(table: Table, conflict: Conflict): Insert {
  const known = inserts.get(table) ?? new Map<string, Insert>()
  inserts.set(table, known)
  const name = typeof conflict === 'string' ? conflict : `update ${conflict.update ?? ''}`
  const before = known.get(name)
  if (before) return before
  const columns = columnsOf(table)
  const values = `VALUES (${columns.map(() => '?').join(', ')})`
  const insert = { columns, sql: insertStatement({ ...table, key: keyOf(table) }, values, conflict) }
  known.set(name, insert)
  return insert
}

/** SQLite plans a statement again for each value of a plain `LIMIT ?`, which takes longer than most reads. */
const HIDDEN_LIMIT = 'LIMIT +?'

const match = (name: string) =>
  `SELECT rowid AS n FROM ${name} WHERE ${name} MATCH ? AND rowid < ? AND rowid >= ? ORDER BY rowid DESC LIMIT ?`
const matchWithinTimes = (name: string) =>
  `SELECT r.row_id AS n FROM ${name} AS t CROSS JOIN search_rows AS r ON r.row_id = t.rowid
   WHERE t.${name} MATCH ? AND t.rowid < ? AND t.rowid >= ? AND r.time_key >= ? AND r.time_key < ?
   ORDER BY t.rowid DESC LIMIT ?`

/** Statements on an open connection, each prepared once. */
export class SqliteStatements implements Transaction {
  readonly #connection: DatabaseSync
  readonly #prepared = new RecentlyUsed<Prepared>(MOST_PREPARED)
  #dropped = 0

  constructor(connection: DatabaseSync) {
    this.#connection = connection
  }

  readonly words: WordIndex = {
    add: async (_owner_id, rows) => {
      for (const { row_id, later, words } of rows)
        this.#prepare(`INSERT INTO ${tokenIndex(later)} (rowid, words) VALUES (?, ?)`).statement.run(
          row_id,
          words,
        )
    },
    // What was not merged during an import is merged while the writer is idle.
    tidy: async () => {
      const changes = async () => (await this.get<{ n: number }>('SELECT total_changes() AS n'))?.n ?? 0
      const before = await changes()
      for (const name of TOKEN_INDEXES)
        this.#prepare(`INSERT INTO ${name} (${name}, rank) VALUES ('merge', 100)`).statement.run()
      return (await changes()) - before < 2 * TOKEN_INDEXES.length
    },
    remove: async (_owner_id, records) => {
      for (const { first_row, row_count } of records)
        for (let row_no = 0; row_no < row_count; row_no++)
          this.#prepare(`DELETE FROM ${tokenIndex(row_no > 0)} WHERE rowid = ?`).statement.run(
            rowId(first_row, row_no),
          )
    },
    match: async (_owner_id, expression, { below, from = 0, times, later }, limit) => {
      const words = writeExpression(expression, NOTATION)
      const index = tokenIndex(later)
      return times
        ? this.numbers(matchWithinTimes(index), [words, below, from, times.since, times.until, limit])
        : this.numbers(match(index), [words, below, from, limit])
    },
  }

  /** Changed by every commit of another connection. */
  get dataVersion(): number {
    const [version] = this.#prepare('PRAGMA data_version').statement.get() as unknown as [number]
    return version
  }

  async get<Row extends object>(sql: string, params: Params = []): Promise<Row | undefined> {
    const { statement, columns } = this.#prepare(sql)
    const values = statement.get(...params) as Value[] | undefined
    return values && (rowOf(columns, values) as Row)
  }

  async all<Row extends object>(sql: string, params: Params = []): Promise<Row[]> {
    const { statement, columns } = this.#prepare(sql)
    return (statement.all(...params) as unknown as Value[][]).map(values => rowOf(columns, values) as Row)
  }

  // Reading one value is many times faster than reading as many rows.
  async numbers(sql: string, params: Params = []): Promise<number[]> {
    const [list] = this.#prepare(`SELECT json_group_array(n) FROM (${sql})`).statement.get(
      ...params,
    ) as unknown as [string]
    return JSON.parse(list) as number[]
  }

  async run(sql: string, params: Params = []): Promise<number> {
    return Number(this.#prepare(sql).statement.run(...params).changes)
  }

  async insert<T extends Table>(table: T, rows: readonly NewRow<T>[]): Promise<void> {
    await this.#write(table, rows, 'fail')
  }

  insertNew<T extends Table>(table: T, rows: readonly NewRow<T>[]): Promise<number> {
    return this.#write(table, rows, 'ignore')
  }

  async upsert<T extends Table>(table: T, rows: readonly NewRow<T>[], update?: string): Promise<void> {
    await this.#write(table, rows, { update })
  }

  async writeTogether(writes: readonly Write[]): Promise<void> {
    const writeEach = () => {
      for (const { table, rows, existing } of writes)
        this.#writeRows(table, rows, existing === 'fail' ? 'fail' : { update: undefined })
    }
    if (this.#connection.isTransaction) writeEach()
    else this.#together(writeEach)
  }

  contains(column: string): string {
    return `instr(${column}, ?) > 0`
  }

  oneOf(column: string, _type: 'text' | 'bigint'): string {
    return `${column} IN (SELECT value FROM json_each(?))`
  }

  list(values: readonly (string | number)[]): Value {
    return JSON.stringify(values)
  }

  // It would sort the rows of a part that has its own limit, instead of following the index from part to part.
  mergeInOrder(selects: readonly Select[], order: string, limit: number): Select {
    return merged(selects, order, limit)
  }

  async define(sql: string): Promise<void> {
    this.#connection.exec(
      sql
        .replaceAll('BIGINT', 'INTEGER')
        .replaceAll('BYTES', 'BLOB')
        .replaceAll('/* clustered */', 'WITHOUT ROWID')
        .replaceAll('PRIMARY KEY (owner_id, row_id)', `PRIMARY KEY (${ROW_KEY})`)
        .replace('CREATE TOKEN INDEX;', TOKEN_INDEX),
    )
  }

  /** Releases the prepared statements. */
  clear(): void {
    this.#prepared.clear()
  }

  async #write(table: Table, rows: readonly object[], conflict: Conflict): Promise<number> {
    const writeAll = () => this.#writeRows(table, rows, conflict)
    return rows.length > 1 && !this.#connection.isTransaction ? this.#together(writeAll) : writeAll()
  }

  #writeRows(table: Table, rows: readonly object[], conflict: Conflict): number {
    const { columns, sql } = insertOf(table, conflict)
    const { statement } = this.#prepare(sql)
    const params: Value[] = new Array(columns.length).fill(null)
    let written = 0
    for (const row of rows as Record<string, Value>[]) {
      for (let i = 0; i < columns.length; i++) params[i] = row[columns[i] as string] ?? null
      written += Number(statement.run(...params).changes)
    }
    return written
  }

  /** Runs as one transaction. Nothing else can run meanwhile. */
  #together<T>(work: () => T): T {
    this.#prepare('BEGIN IMMEDIATE').statement.run()
    try {
      const result = work()
      this.#prepare('COMMIT').statement.run()
      return result
    } catch (error) {
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK')
      throw error
    }
  }

  #prepare(sql: string): Prepared {
    const prepared = this.#prepared.get(sql, () => {
      const statement = this.#connection.prepare(sql.replaceAll('LIMIT ?', HIDDEN_LIMIT))
      statement.setReturnArrays(true)
      return { statement, columns: statement.columns().map(({ name }) => name) }
    })
    this.#dropped += this.#prepared.takeExcess().length
    if (this.#dropped >= MOST_DROPPED) {
      // The driver frees a statement only when it is garbage-collected, and the memory it holds does not cause an
      // earlier collection.
      collectNow()
      this.#dropped = 0
    }
    return prepared
  }
}

/** Rows are returned as arrays and column names separately, because the driver's own objects are slow to read. */
interface Prepared {
  statement: StatementSync
  columns: readonly string[]
}

function rowOf(columns: readonly string[], values: readonly Value[]): Record<string, Value> {
  const row: Record<string, Value> = {}
  for (let i = 0; i < columns.length; i++) row[columns[i] as string] = values[i] as Value
  return row
}

const NOTATION = {
  word: (word: string) => `"${word}"`,
  prefix: (word: string) => `"${word}" *`,
  and: 'AND',
  or: 'OR',
}
