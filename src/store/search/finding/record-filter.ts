import { firstRow } from '../../../model/search/row-numbers.ts'
import type { Budget } from '../../budget/budget.ts'
import type { View } from '../../engine/database.ts'
import type { SearchSource } from '../open-fields.ts'
import { loadData, passesFilter } from '../records-of-rows.ts'
import { type RowPlace, recordPlace } from '../search-rows.ts'

const RECORDS_AT_ONCE = 200

/** What is needed to read records, and what may be seen of them. */
interface Reading {
  owner_id: string
  database: View
  budget: Budget
  sourceOf(row: RowPlace): SearchSource | undefined
  /** Null means all fields, undefined means that the row is hidden. */
  visibleFields(row: RowPlace): ReadonlySet<string> | null | undefined
}

export interface Passing<Row> {
  rows: Row[]
  /** Whether the budget allowed all records that were needed. */
  isWhole: boolean
}

/**
 * Decides which records pass the filter of a search. Each is read once, and counts once for each budget. It counts when a
 * lookup reaches it, not when it is read: how many are read at once also depends on hidden rows.
 */
export class RecordFilter {
  /** By the first row of each record. */
  readonly #passing = new Map<number, boolean>()
  readonly #counted = new WeakMap<Budget, Set<number>>()

  /** The first rows that pass, in the order given and at most `most`. One lookup must end before the next begins. */
  async passing<Row extends RowPlace>(
    rows: readonly Row[],
    most: number,
    reading: Reading,
  ): Promise<Passing<Row>> {
    const { budget } = reading
    const counted = this.#counted.get(budget) ?? new Set()
    this.#counted.set(budget, counted)
    const found: Row[] = []
    for (const [i, row] of rows.entries()) {
      if (found.length >= most) break
      const first = firstRow(row)
      if (!counted.has(first) && !budget.take('rows', 1)) return { rows: found, isWhole: false }
      counted.add(first)
      if (!this.#passing.has(first)) await this.#read(this.#unread(rows, i), reading)
      if (this.#passing.get(first)) found.push(row)
    }
    return { rows: found, isWhole: true }
  }

  /** The next rows whose records were not read, one for each. */
  #unread(rows: readonly RowPlace[], start: number): RowPlace[] {
    const unread = new Map<number, RowPlace>()
    for (let i = start; i < rows.length && unread.size < RECORDS_AT_ONCE; i++) {
      const row = rows[i] as RowPlace
      if (!this.#passing.has(firstRow(row))) unread.set(firstRow(row), row)
    }
    return [...unread.values()]
  }

  async #read(rows: readonly RowPlace[], reading: Reading): Promise<void> {
    const { owner_id, database, budget } = reading
    const conditionsOf = (row: RowPlace) => reading.sourceOf(row)?.conditions ?? []
    const records = await loadData(database, owner_id, rows, conditionsOf)
    for (const row of rows) {
      if (budget.isDue) await budget.pause()
      const [entry, record] = [reading.sourceOf(row), records.get(recordPlace(row))]
      const visible = reading.visibleFields(row)
      const passes = entry && record && visible !== undefined
      this.#passing.set(firstRow(row), passes ? passesFilter(entry.conditions, record, visible) : false)
    }
  }
}
