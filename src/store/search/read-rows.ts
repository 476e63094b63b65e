import { laterBelow } from '../../model/search/row-numbers.ts'
import { allEnded } from '../budget/all-ended.ts'
import type { Database } from '../engine/database.ts'
import { SerialQueue } from '../engine/serial-queue.ts'
import { COUNTS, type IndexedRow, loadRows, PLACES, type RowCounts, type RowPlace } from './search-rows.ts'

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
  async places(database: Database, row_ids: readonly number[]): Promise<RowPlace[]> {
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

  /** Rows with their counts, in the order given; each is read once. The place of nearly every one is known already. */
  async rows(database: Database, row_ids: readonly number[]): Promise<IndexedRow[]> {
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

function isCounted(row: ReadRow | undefined): row is IndexedRow {
  return row?.sections !== undefined
}
