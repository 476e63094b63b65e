import { laterBelow } from '../../model/search/row-numbers.ts'
import { MOST_LOADED_ROWS } from '../../model/search/tuning.ts'
import type { Database } from '../engine/database.ts'
import { SerialQueue } from '../engine/serial-queue.ts'
import { type IndexedRow, loadRows, PLACES, ROWS, type RowPlace } from './search-rows.ts'

/** The most row places kept in memory. A bound on memory. */
const MOST_PLACES = 50_000

/** The index rows that a search has read, so that none is read twice. */
export class ReadRows {
  readonly #owner_id: string
  readonly #rows = new Map<number, IndexedRow>()
  readonly #places = new Map<number, RowPlace>()
  readonly #reading = new SerialQueue()
  #hasLater: Promise<boolean> | null = null

  constructor(owner_id: string) {
    this.#owner_id = owner_id
  }

  /** Whether counts may still be loaded before it is known that they are needed. */
  get hasRoom(): boolean {
    return this.#rows.size < MOST_LOADED_ROWS
  }

  /** Rows whose counts are not needed, in the order given; nearly all are read once. */
  async places(database: Database, row_ids: readonly number[]): Promise<RowPlace[]> {
    const isFull = this.#places.size >= MOST_PLACES
    const places = isFull ? new Map<number, RowPlace>() : this.#places
    const known = (row_id: number) => this.#rows.get(row_id) ?? this.#places.get(row_id) ?? places.get(row_id)
    await this.#readMissing<RowPlace>(database, PLACES, row_ids, known, row => places.set(row.row_id, row))
    return row_ids.flatMap(row_id => known(row_id) ?? [])
  }

  /** Rows with their counts, in the order given; each is read once. */
  async rows(database: Database, row_ids: readonly number[]): Promise<IndexedRow[]> {
    const known = (row_id: number) => this.#rows.get(row_id)
    await this.#readMissing<IndexedRow>(database, ROWS, row_ids, known, row =>
      this.#rows.set(row.row_id, row),
    )
    return row_ids.flatMap(row_id => known(row_id) ?? [])
  }

  /** Words that are looked up at the same time have rows in common, so they are read one after the other. */
  async #readMissing<Row extends RowPlace>(
    database: Database,
    select: string,
    row_ids: readonly number[],
    known: (row_id: number) => RowPlace | undefined,
    keep: (row: Row) => void,
  ): Promise<void> {
    const isMissing = (row_id: number) => known(row_id) === undefined
    if (!row_ids.some(isMissing)) return
    await this.#reading.add(async () => {
      const missing = row_ids.filter(isMissing)
      for (const row of await loadRows<Row>(database, this.#owner_id, select, missing)) keep(row)
    })
  }

  /** Whether some record has several rows, so that there are later ones to search. */
  hasLater(database: Database): Promise<boolean> {
    this.#hasLater ??= this.#readLast(database)
    return this.#hasLater
  }

  async #readLast(database: Database): Promise<boolean> {
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
