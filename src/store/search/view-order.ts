import { placeKey, visibleFields } from '../../model/access/enforce.ts'
import type { SelectedSource } from '../../model/reading/filter.ts'
import { numberOfEntry } from '../../model/reading/record-history.ts'
import { firstRowOf, laterBelow, rowId } from '../../model/search/row-numbers.ts'
import { MOST_LATER_ROWS_OF_RECORD } from '../../model/search/tuning.ts'
import type { View } from '../engine/database.ts'
import type { RowRange, WordExpression } from '../engine/word-index.ts'
import { isUnbounded, parsedHistory } from '../records/records.ts'
import { holdingToo, type LookUp } from './finding/rows-among.ts'

/** Higher than any time, known or not. */
const AFTER_ALL = '~~'

/** A record that came into view after it was added. */
interface Entered {
  first_row: number
  row_count: number
  time_key: string | null
  /** The number that a record had got that was added when this one came into view. */
  position: number
}

interface MovedRow extends Omit<Entered, 'position'> {
  connection_id: string
  stream: string
  record_id: string
  history: string | null
}

/**
 * The order in which records came into view. Nearly always that is the order of their numbers, in which they were added.
 * But a record that was hidden because of its time, and then moved, is to the reader as new as one that was added then.
 */
export class ViewOrder {
  /** By the number of the first row, the last ones to enter first. */
  readonly #entered: ReadonlyMap<number, Entered>

  private constructor(entered: readonly Entered[]) {
    const newest = entered.toSorted((a, b) => b.position - a.position)
    this.#entered = new Map(newest.map(each => [each.first_row, each]))
  }

  static async read(
    database: View,
    owner_id: string,
    selected: readonly SelectedSource[],
  ): Promise<ViewOrder> {
    const bounded = selected.map(({ source }) => source).filter(source => !isUnbounded(source))
    const clauses = bounded.flatMap(source => source.clauses)
    const [since] = clauses
      .flatMap(clause => clause.since ?? [])
      .sort()
      .reverse()
    const [until] = clauses.flatMap(clause => clause.until ?? []).sort()
    if (since === undefined && until === undefined) return new ViewOrder([])
    const sources = new Map(
      bounded.map(source => [placeKey(source.connection_id, source.stream.name), source]),
    )
    // Most moves, such as a corrected time zone, lead from one visible time to another.
    const moved = await database.all<MovedRow>(
      `SELECT connection_id, stream, COALESCE(long_id, record_key) AS record_id, time_key, history, first_row,
         row_count FROM records WHERE owner_id = ? AND earliest_key IS NOT NULL AND (earliest_key < ? OR latest_key >= ?)`,
      [owner_id, since ?? '', until ?? AFTER_ALL],
    )
    const entered = moved.flatMap(({ connection_id, stream, record_id, history, ...row }) => {
      const source = sources.get(placeKey(connection_id, stream))
      const known = parsedHistory(history)
      if (!source || !known || visibleFields(source, { record_id, time_key: row.time_key }) === undefined)
        return []
      const number = numberOfEntry(source, record_id, known)
      return number === null || number <= row.first_row ? [] : [{ ...row, position: number }]
    })
    return new ViewOrder(entered)
  }

  /** Whether it is the order of numbers. */
  get isOfNumbers(): boolean {
    return this.#entered.size === 0
  }

  /** Whether some record came into view at this position or a later one. */
  reaches(position: number): boolean {
    const [newest] = this.#entered.values()
    return newest !== undefined && newest.position >= position
  }

  /** The place of a row: its number, or the one that it had got if its record had been added when it came into view. */
  positionOf(row_id: number): number {
    const first = firstRowOf(row_id)
    const position = this.#entered.get(first)?.position
    if (position === undefined) return row_id
    return row_id === first ? position : rowId(position, row_id - laterBelow(first))
  }

  sorted(row_ids: readonly number[]): number[] {
    if (this.isOfNumbers) return row_ids.toSorted((a, b) => b - a)
    const positions = new Map(row_ids.map(row_id => [row_id, this.positionOf(row_id)]))
    return row_ids.toSorted((a, b) => (positions.get(b) ?? 0) - (positions.get(a) ?? 0))
  }

  /** Rows of the index, newest first. The bounds of the range are positions. */
  async match(
    lookUp: LookUp,
    expression: WordExpression,
    range: RowRange,
    limit: number,
  ): Promise<readonly number[]> {
    if (this.isOfNumbers) return lookUp(expression, range, limit)
    const entered = await this.#enteredHolding(lookUp, expression, range)
    for (let size = limit; ; size *= 2) {
      const ids = await lookUp(expression, range, size)
      const others = ids.filter(row_id => !this.#entered.has(firstRowOf(row_id)))
      if (others.length >= limit || ids.length < size) return this.#merged(others, entered).slice(0, limit)
    }
  }

  /** Rows whose positions are their numbers, and others, both newest first. */
  #merged(row_ids: readonly number[], entered: readonly number[]): number[] {
    const merged: number[] = []
    let next = 0
    for (const row_id of row_ids) {
      while (this.positionOf(entered[next] ?? 0) > row_id) merged.push(entered[next++] as number)
      merged.push(row_id)
    }
    return [...merged, ...entered.slice(next)]
  }

  /** Those that came into view after they were added; of a long record as many as a search looks at. */
  async #enteredHolding(
    lookUp: LookUp,
    expression: WordExpression,
    { below, from = 0, times = null, later = false }: RowRange,
  ): Promise<readonly number[]> {
    const isIn = (row_id: number) => this.positionOf(row_id) < below && this.positionOf(row_id) >= from
    const isOfTime = ({ time_key }: Entered) =>
      times === null || (time_key !== null && time_key >= times.since && time_key < times.until)
    const entered = [...this.#entered.values()].filter(isOfTime)
    if (!later) {
      const firsts = entered.map(({ first_row }) => first_row).filter(isIn)
      return holdingToo(lookUp, firsts, [[expression]])
    }
    const found: number[] = []
    for (const { first_row, row_count } of entered) {
      if (row_count < 2) continue
      const own = { below: rowId(first_row, row_count), from: rowId(first_row, 1), later }
      found.push(...(await lookUp(expression, own, MOST_LATER_ROWS_OF_RECORD)))
    }
    return this.sorted(found.filter(isIn))
  }
}
