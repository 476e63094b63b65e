import { grantsFieldThroughout, type Source } from '../../../model/access/enforce.ts'
import type { SelectedSource } from '../../../model/reading/filter.ts'
import { passesRole, type RoleCondition } from '../../../model/reading/role-test.ts'
import { firstRow } from '../../../model/search/row-numbers.ts'
import type { Budget } from '../../budget/budget.ts'
import type { View } from '../../engine/database.ts'
import { asksForPeople, findNames, rowsOfNames } from '../../names/named-records.ts'
import type { SearchSource } from '../open-fields.ts'
import { dataOf, loadData, passesFilter } from '../records-of-rows.ts'
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
  rows: readonly Row[]
  /** Of the rows that were given, how many were decided. */
  decided: number
  /** Whether the budget allowed all records that were needed. */
  isWhole: boolean
}

/** A record that visibly names none of the people asked for is of others. */
type Outcome = 'passes' | 'fails' | 'of others'

/**
 * Decides which records pass the filter of a search. Each is read once, and counts once for each budget, unless it is of
 * others: those need not be read where the names of people are known. It counts when a lookup reaches it, not when it is
 * read: how many are read at once also depends on hidden rows.
 */
export class RecordFilter {
  readonly #selected: readonly SelectedSource[]
  /** By the first row of each record. */
  readonly #outcomes = new Map<number, Outcome>()
  readonly #counted = new WeakMap<Budget, Set<number>>()
  #named: NamedRows | null = null

  constructor(selected: readonly SelectedSource[]) {
    this.#selected = selected
  }

  /** Without first rows that are of others, where that is known of all sources, whatever may be seen of a row. */
  async possible(row_ids: readonly number[], reading: Reading): Promise<readonly number[]> {
    const { anywhere } = await this.#namedRows(reading)
    return anywhere ? row_ids.filter(row_id => anywhere.has(row_id)) : row_ids
  }

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
      if (found.length >= most) return { rows: found, decided: i, isWhole: true }
      const first = firstRow(row)
      if (!this.#outcomes.has(first)) await this.#decide(rows, i, reading)
      const outcome = this.#outcomes.get(first)
      if (outcome === 'of others') continue
      if (!counted.has(first) && !budget.take('rows', 1)) return { rows: found, decided: i, isWhole: false }
      counted.add(first)
      if (outcome === 'passes') found.push(row)
    }
    return { rows: found, decided: rows.length, isWhole: true }
  }

  /** Decides about the next records: those of others without reading them, where that is known. */
  async #decide(rows: readonly RowPlace[], start: number, reading: Reading): Promise<void> {
    const { of } = await this.#namedRows(reading)
    const unread = new Map<number, RowPlace>()
    for (let i = start; i < rows.length && unread.size < RECORDS_AT_ONCE; i++) {
      const row = rows[i] as RowPlace
      const first = firstRow(row)
      if (this.#outcomes.has(first)) continue
      if (isOfOthers(row, of, reading)) this.#outcomes.set(first, 'of others')
      else unread.set(first, row)
    }
    await this.#read([...unread.values()], reading)
  }

  async #namedRows(reading: Reading): Promise<NamedRows> {
    this.#named ??= await rowsNaming(this.#selected, reading)
    return this.#named
  }

  async #read(rows: readonly RowPlace[], reading: Reading): Promise<void> {
    const { owner_id, database, budget } = reading
    const { of } = await this.#namedRows(reading)
    const records = await loadData(database, owner_id, rows, row => {
      const entry = reading.sourceOf(row)
      // Where names are not known, whether a record is of others must be read.
      const isKnown = entry && (of.has(entry.source) || !entry.conditions.some(asksForPeople))
      return isKnown ? entry.conditions : []
    })
    for (const row of rows) {
      if (budget.isDue) await budget.pause()
      const [entry, record] = [reading.sourceOf(row), records.get(recordPlace(row))]
      const visible = reading.visibleFields(row)
      let outcome: Outcome = 'fails'
      if (entry && record && visible !== undefined) {
        const people = peopleAsked(entry, visible)
        if (passesFilter(entry.conditions, record, visible)) outcome = 'passes'
        else if (people && !passesRole(people, dataOf(record))) outcome = 'of others'
      }
      this.#outcomes.set(firstRow(row), outcome)
    }
  }
}

/** The condition that asks for people, if all fields that it examines are visible. */
function peopleAsked(
  { conditions }: SelectedSource,
  visible: ReadonlySet<string> | null | undefined,
): RoleCondition | null {
  const asked = conditions.find(asksForPeople)
  if (!asked || visible === undefined) return null
  return visible === null || asked.fields.every(field => visible.has(field)) ? asked : null
}

/** The first rows of records that name the people asked for. */
interface NamedRows {
  /** In each source where the names are known and not too many. */
  of: ReadonlyMap<Source, ReadonlySet<number>>
  /** In all sources, if each of them is known and lets the reader see all names; otherwise null. */
  anywhere: ReadonlySet<number> | null
}

async function rowsNaming(
  parts: readonly SelectedSource[],
  { owner_id, database }: Reading,
): Promise<NamedRows> {
  const of = new Map<Source, ReadonlySet<number>>()
  for (const [source, names] of await findNames(database, { owner_id, parts })) {
    const rows = await rowsOfNames(database, source, names)
    if (rows) of.set(source, new Set(rows))
  }
  const areAllKnown = parts.every(({ source, conditions }) => {
    const fields = conditions.find(asksForPeople)?.fields ?? []
    return of.has(source) && fields.every(field => grantsFieldThroughout(source, field))
  })
  return { of, anywhere: areAllKnown ? new Set([...of.values()].flatMap(rows => [...rows])) : null }
}

/** Whether a row is known to name none of the people asked for, in fields that may all be seen. */
function isOfOthers(row: RowPlace, named: NamedRows['of'], reading: Reading): boolean {
  const entry = reading.sourceOf(row)
  const rows = entry && named.get(entry.source)
  return (
    rows !== undefined &&
    !rows.has(firstRow(row)) &&
    peopleAsked(entry as SearchSource, reading.visibleFields(row)) !== null
  )
}
