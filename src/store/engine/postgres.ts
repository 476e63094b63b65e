import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Database, Params, Table, Value } from './database.ts'
import { PostgresLanes } from './postgres-lanes.ts'
import { WordStatistics } from './postgres-statistics.ts'
import { type TokenIndex, writeExpression } from './word-index.ts'

const BIGINT_OID = 20
pg.types.setTypeParser(BIGINT_OID, Number)

export interface PostgresOptions {
  url: string
  connections: number
  /** `full` waits for the disk, `normal` for the server's memory only. */
  durability: 'full' | 'normal'
}

interface Queryable {
  query(config: {
    name?: string
    text: string
    values?: unknown[]
  }): Promise<{ rows: object[]; rowCount: number | null }>
}

const DEFINITIONS = ['token_index', 'later_token_index']
  .map(
    name => `CREATE TABLE ${name} (
      row_id BIGINT NOT NULL PRIMARY KEY, time_key TEXT COLLATE "C", words TSVECTOR NOT NULL);
      CREATE INDEX ${name}_words ON ${name} USING gin (words);`,
  )
  .join('\n')

const MIGRATION_LOCK = 7_204_117

export class PostgresDatabase implements Database {
  /** For transactions; single statements go over the lanes. */
  readonly #pool: pg.Pool | null
  readonly #lanes: PostgresLanes | null
  /** For words that the index of words alone may lead by: those of later rows, and rare ones. */
  readonly #wordLane: PostgresLanes | null
  readonly #statistics: WordStatistics | null
  readonly #queryable: Queryable
  #held: pg.PoolClient | null = null
  #grown = 0
  #nextAnalysis = 500

  constructor(options: PostgresOptions | Queryable) {
    if ('query' in options) {
      this.#pool = null
      this.#lanes = null
      this.#wordLane = null
      this.#statistics = null
      this.#queryable = options
      return
    }
    const { url, connections, durability } = options
    // Rows that a word leads to are mostly in memory, and seldom on a disk that turns.
    const settings = [
      `synchronous_commit=${durability === 'full' ? 'on' : 'off'}`,
      'jit=off',
      'random_page_cost=1.1',
    ]
    const config = { connectionString: url, options: settings.map(setting => `-c ${setting}`).join(' ') }
    this.#pool = new pg.Pool({ ...config, max: connections })
    // A connection lost while idle is replaced at the next query; that query reports what is wrong.
    this.#pool.on('error', () => {})
    this.#lanes = new PostgresLanes(config, connections)
    // The server believes that going through all rows is cheap, because long rows are kept elsewhere: one text of 50 MB
    // would take as long as everything else together. With one plan left, there is nothing to plan anew.
    const byWord = `${config.options} -c enable_seqscan=off -c plan_cache_mode=force_generic_plan`
    this.#wordLane = new PostgresLanes({ ...config, options: byWord }, connections)
    this.#queryable = this.#lanes
    this.#statistics = new WordStatistics(this.#lanes)
  }

  readonly tokens: TokenIndex = {
    add: async rows => {
      for (const [later, part] of Map.groupBy(rows, row => row.later)) {
        await this.#query(
          `INSERT INTO ${later ? 'later_token_index' : 'token_index'} (row_id, time_key, words)
           SELECT * FROM unnest(?::bigint[], ?::text[], ?::tsvector[])`,
          [
            part.map(row => row.row_id),
            part.map(row => row.time_key),
            part.map(row => row.words.map(lexeme).join(' ')),
          ],
        )
      }
    },
    // The server merges by itself.
    tidy: async () => true,
    remove: async (first, end) => {
      await this.#query('DELETE FROM token_index WHERE row_id = ?', [first])
      if (end - first > 1)
        await this.#query('DELETE FROM later_token_index WHERE row_id > ? AND row_id < ?', [first, end])
    },
    match: async (expression, { below, from = 0, times, later }, limit) => {
      const within = times ? ' AND time_key >= ? AND time_key < ?' : ''
      const table = later ? 'later_token_index' : 'token_index'
      const byWord = later || (from === 0 && (await this.#statistics?.favourWords(expression, limit)))
      const row_id = byWord ? '(row_id + 0)' : 'row_id'
      const statement = numbered(
        `SELECT row_id FROM ${table} WHERE words @@ ?::tsquery AND ${row_id} < ? AND ${row_id} >= ?${within}
         ORDER BY ${row_id} DESC LIMIT ?`,
      )
      const words = writeExpression(expression, NOTATION)
      const values = [words, below, from, ...(times ? [times.since, times.until] : []), limit]
      // Without a name the statement is planned for these very words.
      const { rows } =
        byWord && this.#wordLane
          ? await this.#wordLane.query({ ...statement, values })
          : await this.#queryable.query({ text: statement.text, values })
      return (rows as { row_id: number }[]).map(row => row.row_id)
    },
  }

  async get<Row extends object>(sql: string, params: Params = []): Promise<Row | undefined> {
    return (await this.#query(sql, params)).rows[0] as Row | undefined
  }

  async all<Row extends object>(sql: string, params: Params = []): Promise<Row[]> {
    return (await this.#query(sql, params)).rows as Row[]
  }

  async numbers(sql: string, params: Params = []): Promise<number[]> {
    return (await this.all<{ n: number }>(sql, params)).map(row => row.n)
  }

  async run(sql: string, params: Params = []): Promise<number> {
    return (await this.#query(sql, params)).rowCount ?? 0
  }

  async upsert(table: Table, rows: readonly Params[], onConflict?: string): Promise<void> {
    if (rows.length === 0) return
    const columns = Object.keys(table.columns)
    const rest = columns.filter(column => !table.key.includes(column))
    const update = onConflict ?? rest.map(column => `${column} = excluded.${column}`).join(', ')
    const types = Object.values(table.columns).map(type => (type === 'bytes' ? 'bytea' : type))
    await this.#query(
      `INSERT INTO ${table.name} AS t (${columns.join(', ')})
       SELECT * FROM unnest(${types.map(type => `?::${type}[]`).join(', ')})
       ON CONFLICT (${table.key.join(', ')}) DO ${update === '' ? 'NOTHING' : `UPDATE SET ${update}`}`,
      columns.map((_, index) => rows.map(row => row[index])),
    )
  }

  oneOf(column: string, type: 'text' | 'bigint'): string {
    return `${column} = ANY(?::${type}[])`
  }

  list(values: readonly (string | number)[]): Value {
    return values as unknown as Value
  }

  async noteGrowth(records: number): Promise<void> {
    this.#grown += records
    if (this.#grown < this.#nextAnalysis) return
    this.#nextAnalysis = this.#grown * 2
    await this.#queryable.query({
      text: 'ANALYZE records, search_rows, search_counts, token_index, later_token_index',
    })
  }

  async transaction<T>(work: (transaction: Database) => Promise<T>): Promise<T> {
    if (!this.#pool) return work(this)
    const client = await this.#pool.connect()
    try {
      await client.query('BEGIN')
      const result = await work(new PostgresDatabase(client as unknown as Queryable))
      await client.query('COMMIT')
      client.release()
      return result
    } catch (error) {
      const rolledBack = await client.query('ROLLBACK').then(
        () => true,
        () => false,
      )
      client.release(!rolledBack)
      throw error
    }
  }

  async frozen(): Promise<Database> {
    if (!this.#pool) return this
    this.#held = await this.#pool.connect()
    await this.#held.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await this.#held.query('SELECT 1')
    return new PostgresDatabase(this.#held as unknown as Queryable)
  }

  async define(sql: string): Promise<void> {
    await this.#queryable.query({
      text: sql
        .replace(/\bTEXT\b/g, 'TEXT COLLATE "C"')
        .replaceAll('BYTES', 'BYTEA')
        .replaceAll('/* clustered */', '')
        .replace('CREATE TOKEN INDEX;', DEFINITIONS),
    })
  }

  exclusively<T>(work: (database: Database) => Promise<T>): Promise<T> {
    return this.transaction(async transaction => {
      await transaction.run(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`)
      return work(transaction)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lanes?.end()
    await this.#wordLane?.end()
    // Its transaction ends with the connection.
    this.#held?.release(true)
    await this.#pool?.end()
  }

  #query(sql: string, values: readonly unknown[]) {
    return this.#queryable.query({ ...numbered(sql), values: values as unknown[] })
  }
}

const prepared = new Map<string, { name: string; text: string }>()

/** The statement with `$1, $2 …`, named after its text so that the server prepares it once per connection. */
function numbered(sql: string): { name: string; text: string } {
  let statement = prepared.get(sql)
  if (!statement) {
    let n = 0
    const text = sql.replaceAll('?', () => `$${++n}`)
    statement = { name: createHash('sha256').update(text).digest('base64url').slice(0, 32), text }
    prepared.set(sql, statement)
  }
  return statement
}

function lexeme(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

const NOTATION = { word: lexeme, prefix: (word: string) => `${lexeme(word)}:*`, and: '&', or: '|' }
