import { admits, visibleFields } from '../../model/access/enforce.ts'
import { type ConversationDeclaration, searchedFields } from '../../model/declaration/declaration.ts'
import type { SelectedSource } from '../../model/reading/filter.ts'

import { firstRow } from '../../model/search/row-numbers.ts'
import { isWithin, type TimeBounds } from '../../model/time-bounds.ts'

import { allEnded, type Budget, BudgetExceeded, BudgetedView } from '../budget/budget.ts'
import type { View } from '../engine/database.ts'
import type { RowRange, WordExpression } from '../engine/word-index.ts'
import { type ClauseGroup, clauseGroups } from './clause-groups.ts'
import { type Passing, RecordFilter } from './finding/record-filter.ts'
import type { LookUp } from './finding/rows-among.ts'
import {
  knownFieldCodes,
  type OpenFields,
  openFields,
  type SearchSource,
  searchSource,
} from './open-fields.ts'
import { ReadRecords } from './records-of-rows.ts'
import { type IndexedRow, MatchedRows, type ReadRows, type RowPlace } from './search-rows.ts'
import { shownAmong } from './shown-rows.ts'
import { ViewOrder } from './view-order.ts'

/** Rows that are checked between two looks at the clock, which takes longer than to check one. */
const CHECKED_AT_ONCE = 100

export interface ScopeArgs {
  database: View
  budget: Budget
  owner_id: string
  selected: readonly SelectedSource[]
  /** The conversations of each source; null unless all fields that define them may be seen. */
  conversations?: readonly (ConversationDeclaration | null)[]
  bounds: TimeBounds
  /** Records at this position or a higher one came into view after the first page. */
  below: number
  /** How many records may be seen, if that was counted. */
  population?: number
  /** What this request has found in the index so far. */
  matched?: MatchedRows | undefined
}

type LookUps = readonly (() => Promise<unknown>)[]
type FoundBy<T extends LookUps> = { -readonly [K in keyof T]: Awaited<ReturnType<T[K]>> }

/** The part of the index that a search may use: what the reader may see, narrowed by the request. */
export class SearchScope {
  readonly owner_id: string
  /** Whether matching records may have been left out, because there are too many or the budget is used up. */
  isTruncated = false
  readonly below: number
  readonly population: number
  /** By connection and stream. */
  readonly #sources: ReadonlyMap<string, ReadonlyMap<string, SearchSource>>
  readonly groups: readonly ClauseGroup[]
  readonly order: ViewOrder
  /** Whether records must be read because of a filter. */
  readonly isFiltered: boolean
  readonly #args: ScopeArgs
  readonly #read: ReadRows
  readonly records = new ReadRecords()
  readonly #matched: MatchedRows
  readonly #filter: RecordFilter
  /** Whether the budget allowed a lookup too few records. */
  #isCut = false
  #database: View
  #budget: Budget

  static async open(args: ScopeArgs): Promise<SearchScope> {
    const fields = args.selected.flatMap(({ source }) => searchedFields(source.stream))
    const codes = await knownFieldCodes(args.database, args.owner_id, fields)
    return new SearchScope(args, codes, await ViewOrder.read(args.database, args.owner_id, args.selected))
  }

  private constructor(args: ScopeArgs, codes: ReadonlyMap<string, number>, order: ViewOrder) {
    this.order = order
    this.#database = args.database
    this.#budget = args.budget
    this.owner_id = args.owner_id
    this.below = args.below
    this.population = args.population ?? 0
    this.isFiltered = args.selected.some(({ conditions }) => conditions.length > 0)
    this.#args = args
    this.#filter = new RecordFilter(args.selected)
    this.#matched = args.matched ?? new MatchedRows(args.owner_id)
    this.#read = this.#matched.read
    const sources = args.selected
      .map((selected, index) => searchSource(selected, index, args.conversations?.[index] ?? null, codes))
      .filter(entry => entry.codes.size > 0)
    const byConnection = Map.groupBy(sources, ({ source }) => source.connection_id)
    this.#sources = new Map(
      [...byConnection].map(([connection_id, own]) => [
        connection_id,
        new Map(own.map(entry => [entry.source.stream.name, entry])),
      ]),
    )
    const groups = clauseGroups(sources, args)
    const isAnyNew = order.reaches(this.below)
    this.groups = isAnyNew ? groups.map(group => ({ ...group, mustCheckRows: true })) : groups
  }

  get hasConversations(): boolean {
    return this.#args.conversations?.some(conversation => conversation !== null) ?? false
  }

  get database(): View {
    return this.#database
  }

  get budget(): Budget {
    return this.#budget
  }

  /** Rows of the index, newest first. */
  match(expression: WordExpression, range: RowRange, limit: number): Promise<readonly number[]> {
    return this.order.match(this.lookUp, expression, range, limit)
  }

  readonly lookUp: LookUp = (expression, range, limit) =>
    this.#matched.match(this.#database, expression, range, limit)

  /** Does work that may end early, with a share of the remaining time: what it has found by then counts. */
  async attempt(share: number, work: () => Promise<void>): Promise<void> {
    const [database, budget] = [this.#database, this.#budget]
    this.#budget = budget.part(share)
    this.#database = new BudgetedView(this.#args.database, this.#budget)
    try {
      await work()
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error
      this.isTruncated = true
    } finally {
      this.#budget = budget
      this.#database = database
    }
  }

  /** Whether the row may be seen, and all fields of the group are open in it. */
  shows({ sources, codes }: ClauseGroup, row: RowPlace): boolean {
    const entry = this.sourceOf(row)
    const open = entry && sources.has(entry.key) ? this.open(row) : null
    return open !== null && codes.every(code => open.codes.includes(code))
  }

  /** The open fields of a row; null if the row is hidden. Equal fields give the same object. */
  open(row: RowPlace): OpenFields | null {
    const entry = this.sourceOf(row)
    const visible = entry && this.#visible(entry, row)
    if (!entry || visible === undefined || !this.#isInTime(row)) return null
    let open = entry.opened.get(visible)
    if (!open) {
      open = openFields(entry, visible)
      entry.opened.set(visible, open)
    }
    return open
  }

  /** Whether the row's record came into view after the first page. */
  #isNew(row: RowPlace): boolean {
    return !this.order.isOfNumbers && this.order.positionOf(firstRow(row)) >= this.below
  }

  /** Whether the row is in the time that was asked for, as far as that may be seen. */
  #isInTime(row: RowPlace): boolean {
    const { bounds } = this.#args
    if (bounds.since === null && bounds.until === null) return true
    const time = this.visibleTime(row)
    return time !== null && isWithin(time, bounds)
  }

  /** A row's time, if the reader may see it (RS-5). */
  visibleTime(row: RowPlace): string | null {
    const entry = this.sourceOf(row)
    const visible = entry && this.#visible(entry, row)
    if (!entry || visible === undefined || entry.timeField === null) return null
    return visible === null || visible.has(entry.timeField) ? row.time_key : null
  }

  /** The fields of a row's record that may be seen: null means all, undefined means that the row is hidden. */
  visibleFields(row: RowPlace): ReadonlySet<string> | null | undefined {
    const entry = this.sourceOf(row)
    return entry && this.#visible(entry, row)
  }

  sourceOf(row: RowPlace): SearchSource | undefined {
    return this.#sources.get(row.connection_id)?.get(row.stream)
  }

  get sources(): SearchSource[] {
    return [...this.#sources.values()].flatMap(own => [...own.values()])
  }

  #visible({ rowSource: source }: SearchSource, row: RowPlace): ReadonlySet<string> | null | undefined {
    if (this.#isNew(row)) return undefined
    const placement = { record_id: row.record_key, time_key: row.time_key }
    const [only] = source.clauses
    if (only && source.clauses.length === 1) return admits(only, placement) ? only.fields : undefined
    return visibleFields(source, placement)
  }

  /** First rows without those that cannot pass the filter, as far as names tell. */
  async possible(row_ids: readonly number[]): Promise<readonly number[]> {
    return this.isFiltered ? this.#filter.possible(row_ids, this) : row_ids
  }

  /** The rows whose records pass the filter, in the order given, until `most` do or the budget allows no more. */
  async passing<Row extends RowPlace>(
    rows: readonly Row[],
    most = Number.POSITIVE_INFINITY,
  ): Promise<Readonly<Passing<Row>>> {
    if (!this.isFiltered) return { rows, decided: rows.length, isWhole: true }
    const passing = await this.#filter.passing(rows, most, this)
    if (!passing.isWhole) {
      this.isTruncated = true
      this.#isCut = true
    }
    return passing
  }

  /**
   * Makes lookups, all at once. Under a filter they read records, and which of these are read must not depend on hidden
   * rows: so they are made one after the other, each with an equal share of the records that may still be read. What is
   * left of all shares is for those that needed more.
   */
  async lookUpEach<const T extends LookUps>(lookUps: T): Promise<FoundBy<T>> {
    if (!this.isFiltered) return allEnded(lookUps.map(lookUp => lookUp())) as Promise<FoundBy<T>>
    const found: unknown[] = []
    const wasCut = this.#isCut
    let asked = [...lookUps.entries()]
    for (let isLast = asked.length === 1; ; isLast = true) {
      const cut: typeof asked = []
      for (const [i, [no, lookUp]] of asked.entries()) {
        const before = this.isTruncated
        this.#isCut = false
        found[no] = await this.#budget.share('rows', 1 / (asked.length - i), lookUp)
        if (this.#isCut) cut.push([no, lookUp])
        if (this.#isCut && !isLast) this.isTruncated = before
      }
      this.#isCut = wasCut || cut.length > 0
      if (isLast || cut.length === 0) return found as FoundBy<T>
      asked = cut
    }
  }

  /** The rows that the group shows, newest first. If few of them will be needed, those not read before are checked in SQL. */
  async visibleIds(group: ClauseGroup, row_ids: readonly number[], areNeeded = true): Promise<number[]> {
    const isRead = (row_id: number) => areNeeded || group.mustCheckRows || this.#read.knows(row_id)
    const unread = row_ids.filter(row_id => !isRead(row_id))
    const shown = (await this.shownPlaces(group, row_ids.filter(isRead))).map(row => row.row_id)
    const checked = unread.length === 0 ? [] : await shownAmong(this, group, unread)
    return this.order.sorted([...shown, ...checked])
  }

  /** The rows that the group shows, in the order given. */
  async shownPlaces(group: ClauseGroup, row_ids: readonly number[]): Promise<RowPlace[]> {
    const places = await this.places(row_ids)
    const shown: RowPlace[] = []
    for (let i = 0; i < places.length; i += CHECKED_AT_ONCE) {
      if (this.#budget.isDue) await this.#budget.pause()
      for (const place of places.slice(i, i + CHECKED_AT_ONCE))
        if (this.shows(group, place)) shown.push(place)
    }
    return shown
  }

  places(row_ids: readonly number[]): Promise<RowPlace[]> {
    return this.#read.places(this.#database, row_ids)
  }

  rows(row_ids: readonly number[]): Promise<IndexedRow[]> {
    return this.#read.rows(this.#database, row_ids)
  }

  /** The first rows of the records that later rows belong to, by their numbers. */
  async firstsOf(rows: readonly RowPlace[]): Promise<ReadonlyMap<number, IndexedRow>> {
    const ids = new Set(rows.filter(row => row.row_no > 0).map(firstRow))
    return new Map((await this.rows([...ids])).map(row => [row.row_id, row]))
  }

  hasLaterRows(): Promise<boolean> {
    return this.#read.hasLater(this.#database)
  }
}
