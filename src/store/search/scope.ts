import { admits, type Clause, type Source, visibleFields } from '../../model/access/enforce.ts'
import type { Database } from '../engine/database.ts'
import { timeField } from '../records/records.ts'
import { scopeWord } from './indexing.ts'
import { codesOf, type OpenFields, openFields, placeKey, prepare, type SearchSource } from './sources.ts'

/** An index row and which row of its record it is: 0 is the first. */
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

export interface IndexedRow extends RowPlace {
  sections: string
}

const PLACE = 'row_id, connection_id, stream, record_key, row_no, time_key'
const ROWS_AT_ONCE = 1_000
const FIRST_TIME = 't'
const BEHIND_LAST_TIME = 'u'

/** Clauses, of any sources, that open the same searchable fields: one look into the index serves them all. */
export interface Opening {
  codes: readonly number[]
  scopes: readonly string[]
  clauses: ReadonlyMap<string, readonly Clause[]>
  /** Time bounds that all clauses share, which the index itself can keep. */
  times: { since: string; until: string } | null
  /** Whether rows must be looked at to know that they may be seen. */
  unsure: boolean
}

interface ScopeArgs {
  database: Database
  owner_id: string
  sources: readonly Source[]
  codes: ReadonlyMap<string, number>
  since: string | null
  until: string | null
}

/** The part of the index that a reader may look into. */
export class SearchScope {
  readonly database: Database
  readonly owner_id: string
  readonly sources: ReadonlyMap<string, SearchSource>
  readonly openings: readonly Opening[]
  readonly #args: ScopeArgs
  readonly #loaded = new Map<number, IndexedRow>()

  constructor(args: ScopeArgs) {
    this.database = args.database
    this.owner_id = args.owner_id
    this.#args = args
    const prepared = args.sources
      .map(source => prepare(source, args.codes))
      .filter(entry => entry.codes.size > 0)
    this.sources = new Map(prepared.map(entry => [keyOf(entry.source), entry]))
    const opened = prepared.flatMap(({ source, codes }) =>
      source.clauses.map(clause => ({ source, clause, codes: codesOf(codes, clause.fields) })),
    )
    const groups = Map.groupBy(
      opened.filter(entry => entry.codes.length > 0),
      entry => entry.codes.join(' '),
    )
    this.openings = [...groups.values()].map(group => this.#opening(group))
  }

  #opening(group: { source: Source; clause: Clause; codes: number[] }[]): Opening {
    const { owner_id } = this.#args
    const bySource = Map.groupBy(group, ({ source }) => keyOf(source))
    const sources = [...bySource.values()].flatMap(entries => entries[0]?.source ?? [])
    return {
      codes: group[0]?.codes ?? [],
      scopes: sources.map(source => scopeWord(owner_id, source.connection_id, source.stream.name)),
      clauses: new Map([...bySource].map(([key, entries]) => [key, entries.map(({ clause }) => clause)])),
      ...this.#bounds(group),
    }
  }

  #bounds(group: { source: Source; clause: Clause }[]): Pick<Opening, 'times' | 'unsure'> {
    const { since, until } = this.#args
    const asked = since !== null || until !== null
    const [first] = group
    const alike = group.every(({ source, clause }) => {
      const field = timeField(source.stream)
      const timeIsOpen = field !== undefined && (clause.fields === null || clause.fields.has(field))
      const same = clause.since === first?.clause.since && clause.until === first?.clause.until
      return same && clause.record_ids === null && (!asked || timeIsOpen)
    })
    if (!first || !alike) return { times: null, unsure: true }
    const times = {
      since: latest(since, first.clause.since) ?? FIRST_TIME,
      until: earliest(until, first.clause.until) ?? BEHIND_LAST_TIME,
    }
    const bounded = asked || first.clause.since !== null || first.clause.until !== null
    return { times: bounded ? times : null, unsure: false }
  }

  /** Whether the row may be seen through this opening, and so the fields that the opening opens. */
  shows({ clauses }: Opening, row: RowPlace): boolean {
    const own = clauses.get(placeKey(row.connection_id, row.stream))
    if (!own || this.open(row) === null) return false
    const placement = { record_id: row.record_key, time_key: row.time_key }
    return own.some(clause => admits(clause, placement))
  }

  /** What of a row may be seen; null when the row is hidden. The same fields give the same object. */
  open(row: RowPlace): OpenFields | null {
    const entry = this.sources.get(placeKey(row.connection_id, row.stream))
    const visible = entry && this.#visible(entry, row)
    if (!entry || visible === undefined) return null
    const { since, until } = this.#args
    if (since !== null || until !== null) {
      const time = this.visibleTime(row)
      if (time === null) return null
      if ((since !== null && time < since) || (until !== null && time >= until)) return null
    }
    let open = entry.opened.get(visible)
    if (!open) {
      open = openFields(entry, visible)
      entry.opened.set(visible, open)
    }
    return open
  }

  /** A row's time when the reader may see it (RS-5). */
  visibleTime(row: RowPlace): string | null {
    const entry = this.sources.get(placeKey(row.connection_id, row.stream))
    const visible = entry && this.#visible(entry, row)
    if (!entry || visible === undefined || entry.timeField === null) return null
    return visible === null || visible.has(entry.timeField) ? row.time_key : null
  }

  #visible({ source }: SearchSource, row: RowPlace): ReadonlySet<string> | null | undefined {
    const placement = { record_id: row.record_key, time_key: row.time_key }
    const [only] = source.clauses
    if (only && source.clauses.length === 1) return admits(only, placement) ? only.fields : undefined
    return visibleFields(source, placement)
  }

  /** Those of the rows that an opening shows which is sure of its bounds, newest first. */
  async within({ clauses, times }: Opening, row_ids: readonly number[]): Promise<number[]> {
    if (row_ids.length === 0) return []
    const sources = [...clauses.keys()].flatMap(key => this.sources.get(key)?.source ?? [])
    const places = sources.map(() => '(connection_id = ? AND stream = ?)').join(' OR ')
    const bounds = times ? ' AND time_key >= ? AND time_key < ?' : ''
    return this.database.numbers(
      `SELECT row_id AS n FROM search_rows WHERE ${this.database.oneOf('row_id', 'bigint')}
         AND owner_id = ? AND (${places})${bounds} ORDER BY row_id DESC`,
      [
        this.database.list(row_ids),
        this.owner_id,
        ...sources.flatMap(source => [source.connection_id, source.stream.name]),
        ...(times ? [times.since, times.until] : []),
      ],
    )
  }

  async places(row_ids: readonly number[]): Promise<RowPlace[]> {
    return this.#load<RowPlace>(PLACE, 'search_rows', row_ids)
  }

  /** Rows with their counts; each is read once. */
  async rows(row_ids: readonly number[]): Promise<IndexedRow[]> {
    const missing = row_ids.filter(row_id => !this.#loaded.has(row_id))
    const tables = 'search_rows JOIN search_counts USING (row_id)'
    for (const row of await this.#load<IndexedRow>(`${PLACE}, sections`, tables, missing))
      this.#loaded.set(row.row_id, row)
    return row_ids.flatMap(row_id => this.#loaded.get(row_id) ?? [])
  }

  async #load<Row extends RowPlace>(
    columns: string,
    tables: string,
    row_ids: readonly number[],
  ): Promise<Row[]> {
    const rows: Row[] = []
    const sql = `SELECT ${columns} FROM ${tables} WHERE ${this.database.oneOf('row_id', 'bigint')} AND owner_id = ?`
    for (let i = 0; i < row_ids.length; i += ROWS_AT_ONCE) {
      const part = this.database.list(row_ids.slice(i, i + ROWS_AT_ONCE))
      for (const row of await this.database.all<Row>(sql, [part, this.owner_id])) rows.push(row)
    }
    return rows
  }
}

function keyOf(source: Source): string {
  return placeKey(source.connection_id, source.stream.name)
}

function latest(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b > a) ? b : a
}

function earliest(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b < a) ? b : a
}
