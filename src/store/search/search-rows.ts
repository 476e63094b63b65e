import { placeKey } from '../../model/access/enforce.ts'
import { laterBelow } from '../../model/search/row-numbers.ts'
import { SerialQueue } from '../../model/serial-queue.ts'
import { allEnded } from '../budget/budget.ts'
import type { View } from '../engine/database.ts'
import type { RowRange, WordExpression } from '../engine/word-index.ts'

/** An index row and its number within its record: 0 is the first. */
export interface RowNumber {
  row_id: number
  row_no: number
}

/** An index row without its counts. */
export interface RowPlace extends RowNumber {
  connection_id: string
  stream: string
  record_key: string
  time_key: string | null
}

/** The packed counts of an index row. */
export interface RowCounts {
  row_id: number
  sections: string
}

export interface IndexedRow extends RowPlace, RowCounts {}

const ROWS_AT_ONCE = 1_000

export const PLACES = 'SELECT row_id, connection_id, stream, record_key, row_no, time_key FROM search_rows'
export const COUNTS = 'SELECT row_id, sections FROM search_counts'

/** Reads `PLACES` or `COUNTS` by their ids. */
export async function loadRows<Row extends RowPlace | RowCounts = RowPlace>(
  database: View,
  owner_id: string,
  select: string,
  row_ids: readonly number[],
): Promise<Row[]> {
  const rows: Row[] = []
  const sql = `${select} WHERE owner_id = ? AND ${database.oneOf('row_id', 'bigint')}`
  for (let i = 0; i < row_ids.length; i += ROWS_AT_ONCE) {
    const part = database.list(row_ids.slice(i, i + ROWS_AT_ONCE))
    for (const row of await database.all<Row>(sql, [owner_id, part])) rows.push(row)
  }
  return rows
}

export function recordPlace(row: Pick<RowPlace, 'connection_id' | 'stream' | 'record_key'>): string {
  return `${placeKey(row.connection_id, row.stream)}:${row.record_key}`
}

/** The most row places kept in memory. A bound on memory. */
const MOST_PLACES = 50_000

/** A row that was read; with its counts, if they were needed. */
type ReadRow = RowPlace & Partial<RowCounts>

/** The index rows that a search has read, so that none is read twice. */
export class ReadRows {
  readonly #owner_id: string
  readonly #rows = new Map<number, ReadRow>()
  readonly #readingPlaces = new SerialQueue()
  #hasLater: Promise<boolean> | null = null

  constructor(owner_id: string) {
    this.#owner_id = owner_id
  }

  /** Rows whose counts are not needed, in the order given; nearly all are read once. */
  async places(database: View, row_ids: readonly number[]): Promise<RowPlace[]> {
    const fresh = this.#rows.size >= MOST_PLACES ? new Map<number, ReadRow>() : this.#rows
    const known = (row_id: number) => this.#rows.get(row_id) ?? fresh.get(row_id)
    const isMissing = (row_id: number) => known(row_id) === undefined
    // Words that are looked up at the same time have rows in common, so they are read one after the other.
    if (row_ids.some(isMissing))
      await this.#readingPlaces.add(async () => {
        const missing = row_ids.filter(isMissing)
        for (const row of await loadRows(database, this.#owner_id, PLACES, missing))
          fresh.set(row.row_id, row)
      })
    return row_ids.map(known).filter(place => place !== undefined)
  }

  /** Whether the place of the row is in memory. */
  knows(row_id: number): boolean {
    return this.#rows.has(row_id)
  }

  /** Rows with their counts, in the order given; each is read once. The place of nearly every one is known already. */
  async rows(database: View, row_ids: readonly number[]): Promise<IndexedRow[]> {
    const missing = row_ids.filter(row_id => this.#rows.get(row_id)?.sections === undefined)
    if (missing.length > 0) {
      const [places, counts] = await allEnded([
        this.places(database, missing),
        loadRows<RowCounts>(database, this.#owner_id, COUNTS, missing),
      ])
      for (const place of places) this.#rows.set(place.row_id, place)
      for (const { row_id, sections } of counts) {
        const row = this.#rows.get(row_id)
        if (row) row.sections = sections
      }
    }
    return row_ids.map(row_id => this.#rows.get(row_id)).filter(isCounted)
  }

  /** Whether some record has several rows, so that there are later ones to search. */
  hasLater(database: View): Promise<boolean> {
    this.#hasLater ??= this.#readLast(database)
    return this.#hasLater
  }

  async #readLast(database: View): Promise<boolean> {
    try {
      // With this order PostgreSQL uses the key, whatever number of rows it expects.
      const sql = `SELECT row_id FROM search_rows WHERE owner_id = ? AND row_id >= ? ORDER BY row_id DESC LIMIT 1`
      return (await database.get(sql, [this.#owner_id, laterBelow(0)])) !== undefined
    } catch (error) {
      this.#hasLater = null
      throw error
    }
  }
}

function isCounted(row: ReadRow | undefined): row is IndexedRow {
  return row?.sections !== undefined
}

interface Matched {
  ids: readonly number[]
  isWhole: boolean
}

/**
 * What one request has found in the index of words, whoever may see it. What was found once need not be found again: to
 * count the matches of a word a search continues where it ended when it looked for the best of them, and a phrase that
 * no record holds has the same rows as its words.
 */
export class MatchedRows {
  readonly #owner_id: string
  readonly #matched = new Map<string, Matched>()
  /** The rows themselves, as far as they were read. */
  readonly read: ReadRows

  constructor(owner_id: string) {
    this.#owner_id = owner_id
    this.read = new ReadRows(owner_id)
  }

  /** Rows of the index, newest first. */
  async match(
    database: View,
    expression: WordExpression,
    range: RowRange,
    limit: number,
  ): Promise<readonly number[]> {
    const key = keyOf(expression, range)
    const { ids: known, isWhole } = this.#matched.get(key) ?? { ids: [], isWhole: false }
    if (isWhole || known.length >= limit) return known.slice(0, limit)
    const below = known.at(-1) ?? range.below
    const rest = await database.words.match(
      this.#owner_id,
      expression,
      { ...range, below },
      limit - known.length,
    )
    const ids = known.length === 0 ? rest : [...known, ...rest]
    this.#matched.set(key, { ids, isWhole: ids.length < limit })
    return ids
  }
}

/** Words that must all be there have the same rows in whatever order. */
function keyOf(
  expression: WordExpression,
  { below, from = 0, times = null, later = false }: RowRange,
): string {
  const words =
    'all' in expression
      ? expression.all.map(part => JSON.stringify(part)).sort()
      : [JSON.stringify(expression)]
  return JSON.stringify([words, below, from, times, later])
}
