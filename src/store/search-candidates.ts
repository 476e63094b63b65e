import { grantsField, type Source, visibleFields } from '../model/enforce.ts'
import { recordKey } from '../model/keys.ts'
import type { Clue } from '../model/search-query.ts'
import type { Database } from './database.ts'
import { fieldWord, scopeWord, searchedFields } from './indexing.ts'
import { timeField } from './records.ts'
import type { TokenExpression } from './token-index.ts'

/** An index row without its counts. */
export interface RowPlace {
  row_id: number
  connection_id: string
  stream: string
  record_key: string
  row_no: number
  time_key: string | null
}

export interface IndexedRow extends RowPlace {
  sections: Uint8Array
}

const PLACE = 'row_id, connection_id, stream, record_key, row_no, time_key'

/** A source with what search needs to know about it; its record ids are keys here. */
export interface SearchSource {
  source: Source
  /** Searchable fields that the grant opens somewhere, with their codes. */
  codes: Map<string, number>
  titleCode: number | null
  timeField: string | null
}

/** The part of the index that a reader may look into; every row is checked again one by one. */
export class SearchScope {
  readonly database: Database
  readonly sources: ReadonlyMap<string, SearchSource>
  readonly #groups: { scopes: string[]; later: string[]; codes: number[] }[]
  /** Whether rows must be looked at to know that they may be seen. */
  readonly isBounded: boolean
  readonly #since: string | null
  readonly #until: string | null

  constructor(args: {
    database: Database
    owner_id: string
    sources: readonly Source[]
    codes: ReadonlyMap<string, number>
    since: string | null
    until: string | null
  }) {
    this.database = args.database
    this.#since = args.since
    this.#until = args.until
    const prepared = args.sources
      .map(source => prepare(source, args.codes))
      .filter(entry => entry.codes.size > 0)
    this.sources = new Map(
      prepared.map(entry => [placeKey(entry.source.connection_id, entry.source.stream.name), entry]),
    )
    const groups = Map.groupBy(prepared, ({ codes }) => [...codes.values()].sort((a, b) => a - b).join(' '))
    this.#groups = [...groups.values()].map(group => ({
      scopes: group.map(({ source }) =>
        scopeWord(args.owner_id, source.connection_id, source.stream.name, 0),
      ),
      later: group.map(({ source }) => scopeWord(args.owner_id, source.connection_id, source.stream.name, 1)),
      codes: [...(group[0]?.codes.values() ?? [])],
    }))
    const clauses = args.sources.flatMap(source => source.clauses)
    this.isBounded =
      args.since !== null ||
      args.until !== null ||
      args.sources.some(source => source.clauses.length > 1) ||
      clauses.some(clause => clause.since !== null || clause.until !== null || clause.record_ids !== null)
  }

  get isEmpty(): boolean {
    return this.#groups.length === 0
  }

  /** Rows of the scope in which each of the words stands in some open field. */
  expression(words: readonly Clue[], rows: 'first' | 'later'): TokenExpression {
    return {
      any: this.#groups.map(({ scopes, later, codes }) => ({
        all: [
          { any: (rows === 'first' ? scopes : later).map(word => ({ word })) },
          ...words.flatMap(clue => demands(clue, codes)),
        ],
      })),
    }
  }

  /** The fields of a row that may be seen, by code; null when the row is hidden. */
  openFields(row: RowPlace): ReadonlySet<number> | null {
    const entry = this.sources.get(placeKey(row.connection_id, row.stream))
    if (!entry) return null
    const visible = visibleFields(entry.source, { record_id: row.record_key, time_key: row.time_key })
    if (visible === undefined) return null
    if (this.#since !== null || this.#until !== null) {
      const timeIsOpen = entry.timeField !== null && (visible === null || visible.has(entry.timeField))
      if (!timeIsOpen || row.time_key === null) return null
      if (this.#since !== null && row.time_key < this.#since) return null
      if (this.#until !== null && row.time_key >= this.#until) return null
    }
    return codesOf(entry, visible)
  }

  async places(row_ids: readonly number[]): Promise<RowPlace[]> {
    return this.#load<RowPlace>(PLACE, row_ids)
  }

  async rows(row_ids: readonly number[]): Promise<IndexedRow[]> {
    return this.#load<IndexedRow>(`${PLACE}, sections`, row_ids)
  }

  async #load<Row extends RowPlace>(columns: string, row_ids: readonly number[]): Promise<Row[]> {
    const rows: Row[] = []
    for (let i = 0; i < row_ids.length; i += 1_000) {
      const part = row_ids.slice(i, i + 1_000)
      const sql = `SELECT ${columns} FROM search_rows WHERE ${this.database.oneOf('row_id', 'bigint')}`
      for (const row of await this.database.all<Row>(sql, [this.database.list(part)])) rows.push(row)
    }
    return rows
  }
}

const openSets = new WeakMap<object, Map<SearchSource, ReadonlySet<number>>>()
const EVERYTHING = {}

/** The codes of a set of visible fields; the same set gives the same object. */
function codesOf(entry: SearchSource, visible: ReadonlySet<string> | null): ReadonlySet<number> {
  const key = visible ?? EVERYTHING
  const known = openSets.get(key) ?? new Map<SearchSource, ReadonlySet<number>>()
  openSets.set(key, known)
  let codes = known.get(entry)
  if (!codes) {
    codes = new Set(
      [...entry.codes].flatMap(([field, code]) => (visible === null || visible.has(field) ? [code] : [])),
    )
    known.set(entry, codes)
  }
  return codes
}

export function placeKey(connection_id: string, stream: string): string {
  return `${connection_id}/${stream}`
}

function prepare(source: Source, codes: ReadonlyMap<string, number>): SearchSource {
  const open = searchedFields(source.stream).filter(field => grantsField(source, field) && codes.has(field))
  const keyed = source.clauses.map(clause => ({
    ...clause,
    record_ids: clause.record_ids && new Set([...clause.record_ids].map(recordKey)),
  }))
  const title = open.find(field => source.stream.schema.properties[field]?.x_pdpp_role === 'primary-title')
  return {
    source: { ...source, clauses: keyed },
    codes: new Map(open.map(field => [field, codes.get(field) ?? 0])),
    titleCode: title === undefined ? null : (codes.get(title) ?? null),
    timeField: timeField(source.stream) ?? null,
  }
}

/** What the index must show for a clue: any open field with the word; a phrase needs each of its words. */
function demands(clue: Clue, codes: readonly number[]): TokenExpression[] {
  if (clue.kind === 'word') return [inAnyField([{ word: clue.key }], codes)]
  if (clue.kind === 'phrase') return [...new Set(clue.keys)].map(key => inAnyField([{ word: key }], codes))
  // Stems may be shorter than the words they stand for, so shorter stems are looked up too; the text decides.
  const shorter = Array.from({ length: Math.max(0, clue.key.length - 3) }, (_, i) => clue.key.slice(0, i + 3))
  const respelled = clue.key.endsWith('y') ? [{ prefix: `${clue.key.slice(0, -1)}i` }] : []
  return [inAnyField([{ prefix: clue.key }, ...respelled, ...shorter.map(word => ({ word }))], codes)]
}

function inAnyField(
  words: ({ word: string } | { prefix: string })[],
  codes: readonly number[],
): TokenExpression {
  return {
    any: codes.flatMap(code =>
      words.map(each =>
        'word' in each ? { word: fieldWord(code, each.word) } : { prefix: fieldWord(code, each.prefix) },
      ),
    ),
  }
}
