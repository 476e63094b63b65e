import { firstRow } from '../../../model/search/row-numbers.ts'
import { SerialQueue } from '../../../model/serial-queue.ts'
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

/** Decides which records pass the filter of a search. Each is read once. */
export class RecordFilter {
  /** By the first row of each record. */
  readonly #passing = new Map<number, boolean>()
  readonly #reading = new SerialQueue()

  /** Reads a bounded number of the rows' records; false if the budget left some out. */
  read(rows: readonly RowPlace[], reading: Reading): Promise<boolean> {
    // Words that are looked up at the same time have records in common, so they are read one after the other.
    return this.#reading.add(() => this.#read(rows, reading))
  }

  passes(row: RowPlace): boolean {
    return this.#passing.get(firstRow(row)) === true
  }

  async #read(rows: readonly RowPlace[], reading: Reading): Promise<boolean> {
    const { owner_id, database, budget } = reading
    const all = new Map(rows.map(row => [firstRow(row), row]))
    const unread = [...all].filter(([first]) => !this.#passing.has(first)).map(([, row]) => row)
    for (let i = 0; i < unread.length; i += RECORDS_AT_ONCE) {
      const part = unread.slice(i, i + RECORDS_AT_ONCE)
      if (!budget.take('rows', part.length)) return false
      const conditionsOf = (row: RowPlace) => reading.sourceOf(row)?.conditions ?? []
      const records = await loadData(database, owner_id, part, conditionsOf)
      for (const row of part) {
        if (budget.isDue) await budget.pause()
        const [entry, record] = [reading.sourceOf(row), records.get(recordPlace(row))]
        const visible = reading.visibleFields(row)
        const passes = entry && record && visible !== undefined
        this.#passing.set(firstRow(row), passes ? passesFilter(entry.conditions, record, visible) : false)
      }
    }
    return true
  }
}
