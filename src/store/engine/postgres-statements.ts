import { RecentlyUsed } from '../../model/recently-used.ts'
import { rowId } from '../../model/search/row-numbers.ts'
import { mergedWithinLimit } from './composed-sql.ts'
import { type ListType, PostgresList } from './connections/postgres-lists.ts'
import type { Params, Select, Transaction, Value, Write } from './database.ts'
import { nextStretch, type Way, type Ways } from './postgres-statistics.ts'
import {
  type ColumnType,
  type Conflict,
  columnsOf,
  insertStatement,
  type NewRow,
  type Table,
} from './table.ts'
import { BLOCKS_OF_ROW, blocksOf, definitionsOf, startOfBlock } from './upgrades/postgres-definitions.ts'
import {
  type RowRange,
  TOKEN_INDEXES,
  tokenIndex,
  type WordExpression,
  type WordIndex,
  writeExpression,
} from './word-index.ts'

export interface Statement {
  text: string
  values?: unknown[]
  /** Whether the server keeps the plan. */
  prepared?: boolean
}

export interface Result {
  rows: object[]
  rowCount: number | null
}

/** A connection, or several used in turn. */
export interface Connection {
  query(statement: Statement): Promise<Result>
}

const SQL_TYPES: Record<ColumnType, ListType> = {
  text: 'text',
  'text?': 'text',
  bigint: 'bigint',
  'bigint?': 'bigint',
  bytes: 'bytea',
}

/** Moves new words from the list that they are appended to into the word index. */
export const MOVE_WORDS = `SELECT ${TOKEN_INDEXES.map(name => `gin_clean_pending_list('${name}_words')`).join(', ')}`

type Words = { connection: Connection; ways: Ways }

/** Statements over a connection. */
export class PostgresStatements implements Transaction {
  readonly #connection: Connection
  readonly #words: Words | null
  readonly #noteWords: (bytes: number) => void

  /**
   * `words` has connections for words that are looked up only in the word index: those of later rows, and rare ones.
   */
  constructor(connection: Connection, words: Words | null = null, noteWords = (_bytes: number) => {}) {
    this.#connection = connection
    this.#words = words
    this.#noteWords = noteWords
  }

  readonly words: WordIndex = {
    add: async (owner_id, rows) => {
      for (const [later, part] of Map.groupBy(rows, row => row.later)) {
        const { source, values } = sourceOf(
          ['text', 'bigint', 'text', 'tsvector'],
          part.map(({ row_id, time_key, words }) => [owner_id, row_id, time_key, words]),
        )
        await this.#query(
          `INSERT INTO ${tokenIndex(later)} (owner_id, row_id, time_key, words) ${source}`,
          values,
        )
      }
      this.#noteWords(rows.reduce((sum, { words }) => sum + words.length, 0))
    },
    tidy: async () => {
      await this.#query(MOVE_WORDS, [])
      return true
    },
    remove: async (owner_id, records) => {
      await this.#query('DELETE FROM token_index WHERE owner_id = ? AND row_id = ANY(?::bigint[])', [
        owner_id,
        records.map(({ first_row }) => first_row),
      ])
      for (const { first_row, row_count } of records)
        if (row_count > 1)
          await this.#query(
            'DELETE FROM later_token_index WHERE owner_id = ? AND row_id >= ? AND row_id < ?',
            [owner_id, rowId(first_row, 1), rowId(first_row, row_count)],
          )
    },
    match: async (owner_id, expression, range, limit) => {
      const way = await this.#wayTo(expression, limit, range)
      if (way.by !== 'stretch') return this.#match(owner_id, expression, range, limit, way.by)
      const { below, from = 0 } = range
      const found: number[] = []
      let start = below
      for (let { rows } = way; found.length < limit && start > from; ) {
        const stretch = { ...range, below: start, from: Math.max(from, startOfBlock(start - rows)) }
        const missing = limit - found.length
        found.push(...(await this.#match(owner_id, expression, stretch, missing, 'stretch')))
        start = stretch.from
        rows = nextStretch(below - start, found.length, limit)
      }
      return found
    },
  }

  async #wayTo(expression: WordExpression, limit: number, range: RowRange): Promise<Way> {
    const { below, from = 0, later } = range
    if (later) return { by: 'words' }
    if (!this.#words) return { by: 'rows' }
    return from > 0 ? { by: 'stretch', rows: below - from } : this.#words.ways.wayTo(expression, limit)
  }

  /** The newest rows that match. The statement is written so that PostgreSQL has only one possible plan. */
  async #match(
    owner_id: string,
    expression: WordExpression,
    { below, from = 0, times, later }: RowRange,
    limit: number,
    by: Way['by'],
  ): Promise<number[]> {
    const within = times ? ' AND time_key >= ? AND time_key < ?' : ''
    // As expressions they rule out the index of rows, which the server prefers wherever long texts make rows look
    // small. A cluster needs the plain column to find the machine.
    const row_id = by === 'rows' ? 'row_id' : '(row_id + 0)'
    const isPlain = by === 'rows' || (await this.#words?.ways.isCluster())
    const owner = isPlain ? 'owner_id' : `(owner_id || '')`
    const blocks = by === 'stretch' ? ` AND ${BLOCKS_OF_ROW} && ?::text[]` : ''
    // As a function it rules out the word index, and the server need not compare the words with its statistics, which
    // takes it longer than to read the rows.
    const contains = by === 'rows' && this.#words ? 'ts_match_vq(words, ?::tsquery)' : 'words @@ ?::tsquery'
    const text = numbered(
      inOneRow(
        `SELECT row_id AS n FROM ${tokenIndex(later)}
         WHERE ${owner} = ? AND ${contains}${blocks} AND ${row_id} < ? AND ${row_id} >= ?${within}
         ORDER BY ${row_id} DESC LIMIT ?`,
      ),
    )
    const words = writeExpression(expression, NOTATION)
    const values = [
      owner_id,
      words,
      ...(by === 'stretch' ? [blocksOf(owner_id, from, below)] : []),
      below,
      from,
      ...(times ? [times.since, times.until] : []),
      limit,
    ]
    // Without statistics of its own, the server plans for these particular words.
    const connection = by === 'rows' ? this.#connection : (this.#words?.connection ?? this.#connection)
    const { rows } = await connection.query({ text, values, prepared: this.#words !== null })
    return numbersIn(rows)
  }

  async get<Row extends object>(sql: string, params: Params = []): Promise<Row | undefined> {
    return (await this.#query(sql, params)).rows[0] as Row | undefined
  }

  async all<Row extends object>(sql: string, params: Params = []): Promise<Row[]> {
    return (await this.#query(sql, params)).rows as Row[]
  }

  async numbers(sql: string, params: Params = []): Promise<number[]> {
    return numbersIn((await this.#query(inOneRow(sql), params)).rows)
  }

  async run(sql: string, params: Params = []): Promise<number> {
    return (await this.#query(sql, params)).rowCount ?? 0
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

  // Sent one after the other without waiting, which on one connection is one round trip.
  async writeTogether(writes: readonly Write[]): Promise<void> {
    await Promise.all(
      writes.map(({ table, rows, existing }) =>
        existing === 'fail' ? this.insert(table, rows) : this.upsert(table, rows),
      ),
    )
  }

  contains(column: string): string {
    return `strpos(${column}, ?) > 0`
  }

  oneOf(column: string, type: 'text' | 'bigint'): string {
    return `${column} = ANY(?::${type}[])`
  }

  list(values: readonly (string | number)[]): Value {
    return values as unknown as Value
  }

  // Without a limit of its own, a part might be read completely and sorted.
  mergeInOrder(selects: readonly Select[], order: string, limit: number): Select {
    return mergedWithinLimit(selects, order, limit)
  }

  /** One statement at a time, because a cluster refuses several in one message. */
  async define(sql: string): Promise<void> {
    for (const text of definitionsOf(sql)) await this.#connection.query({ text })
  }

  async #write(table: Table, rows: readonly object[], conflict: Conflict): Promise<number> {
    if (rows.length === 0) return 0
    const columns = columnsOf(table)
    const { source, values } = sourceOf(
      columns.map(column => SQL_TYPES[table.columns[column] ?? 'text']),
      (rows as Record<string, Value>[]).map(row => columns.map(column => row[column] ?? null)),
    )
    return (await this.#query(insertStatement(table, source, conflict), values)).rowCount ?? 0
  }

  #query(sql: string, values: readonly unknown[]) {
    return this.#connection.query({ text: numbered(sql), values: values as unknown[], prepared: true })
  }
}

/** The column `n` of all rows, in their order, as one text: to read as many rows takes twice the time. */
function inOneRow(sql: string): string {
  return `SELECT string_agg(n::text, ',') AS n FROM (${sql}) AS numbers`
}

function numbersIn([row]: readonly unknown[]): number[] {
  const { n } = row as { n: string | null }
  return n === null ? [] : n.split(',').map(Number)
}

/** Up to this many rows are cheaper to send, and for the server to read, without lists. */
const FEW_ROWS = 4

/** The part of a statement that contains the rows to insert. */
function sourceOf(
  types: readonly ListType[],
  rows: readonly (readonly Value[])[],
): { source: string; values: unknown[] } {
  if (rows.length <= FEW_ROWS) {
    const row = `(${types.map(type => `?::${type}`).join(', ')})`
    const plain = rows.map(values =>
      values.map((value, i) => (types[i] === 'tsvector' ? utf8(value as Uint8Array) : value)),
    )
    return { source: `VALUES ${rows.map(() => row).join(', ')}`, values: plain.flat() }
  }
  return {
    source: `SELECT * FROM unnest(${types.map(type => `?::${type}[]`).join(', ')})`,
    values: types.map(
      (type, i) =>
        new PostgresList(
          type,
          rows.map(row => row[i] as Value),
        ),
    ),
  }
}

const numberedTexts = new RecentlyUsed<string>(1_000)

/** Replaces `?` with `$1, $2 …`. */
function numbered(sql: string): string {
  const text = numberedTexts.get(sql, () => {
    let n = 0
    return sql.replaceAll('?', () => `$${++n}`)
  })
  numberedTexts.takeExcess()
  return text
}

function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
}

function lexeme(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

const NOTATION = { word: lexeme, prefix: (word: string) => `${lexeme(word)}:*`, and: '&', or: '|' }
