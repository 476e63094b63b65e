import type { Source } from '../model/enforce.ts'
import { visibleFields } from '../model/enforce.ts'
import { type CompiledCondition, compareKeys, passes } from '../model/filter.ts'
import { type ClueStatistics, type RowEvidence, rank } from '../model/ranking.ts'
import { project, type StoredRecord } from '../model/record.ts'
import type { Clue, SearchQuery } from '../model/search-query.ts'
import { hashOf, packedSections } from '../model/search-rows.ts'
import type { Database } from './database.ts'
import { readFieldCodes } from './indexing.ts'
import { COLUMNS, type RecordRow, recordOf } from './records.ts'
import { countRecords } from './scan.ts'
import { type IndexedRow, placeKey, type RowPlace, SearchScope } from './search-candidates.ts'
import { type MatchWindow, proveRecord, textCounts } from './search-proof.ts'

export interface SearchArgs {
  owner_id: string
  sources: readonly Source[]
  /** Conditions for each source, or none. */
  conditions: readonly CompiledCondition[][] | null
  query: SearchQuery
  since: string | null
  until: string | null
  /** What the first page saw, so that later pages rank the same records in the same way. */
  snapshot: Snapshot | null
  skip: number
  limit: number
  windows: number
  window_chars: number
}

export interface Snapshot {
  /** Rows from here on were added later. */
  below: number
  population: number
}

export interface Hit {
  /** Index into the sources. */
  source: number
  record: StoredRecord
  windows: MatchWindow[]
}

/** Postings of a single word are capped at this many records; the newest are kept. */
const MOST_RECORDS = 3_000
/** Rarer words bring candidates until there are this many. */
const ENOUGH = 4_000
/** Fewer than this, and records that lack one of the common words are looked at too. */
const TOO_FEW = 200
const MOST_LATER_ROWS = 2_000
const MOST_TEXTS = 500
const TITLE_WEIGHT = 1

interface Candidate {
  row: IndexedRow
  evidence: RowEvidence
}

export async function searchRecords(
  database: Database,
  args: SearchArgs,
): Promise<{ hits: Hit[]; more: boolean; snapshot: Snapshot }> {
  const snapshot = args.snapshot ?? (await takeSnapshot(database, args))
  const codes = await readFieldCodes(database, args.owner_id)
  const { since, until, sources, owner_id } = args
  const scope = new SearchScope({ database, owner_id, sources, codes, since, until })
  if (scope.isEmpty || args.query.clues.length === 0) return { hits: [], more: false, snapshot }
  const ranked = await new Search(scope, args, snapshot).ranked()
  const page = ranked.slice(args.skip, args.skip + args.limit)
  const hits = await loadHits(database, args, page)
  return { hits, more: ranked.length > args.skip + args.limit, snapshot }
}

async function takeSnapshot(database: Database, { owner_id, sources }: SearchArgs): Promise<Snapshot> {
  const row = await database.get<{ value: number }>(`SELECT value FROM counters WHERE name = 'search_rows'`)
  let population = 0
  for (const source of sources) {
    for (const clause of source.clauses) {
      const parts = [{ source: { ...source, clauses: [clause] }, conditions: [] }]
      population += clause.record_ids
        ? clause.record_ids.size
        : await countRecords(database, { owner_id, parts })
    }
  }
  return { below: (row?.value ?? 0) + 1, population }
}

class Search {
  readonly #scope: SearchScope
  readonly #args: SearchArgs
  readonly #snapshot: Snapshot
  readonly #clues: readonly Clue[]
  readonly #hashes: readonly number[]

  constructor(scope: SearchScope, args: SearchArgs, snapshot: Snapshot) {
    this.#scope = scope
    this.#args = args
    this.#snapshot = snapshot
    this.#clues = args.query.clues
    this.#hashes = this.#clues.map(clue => (clue.kind === 'word' ? hashOf(clue.key) : 0))
  }

  /** The best row of each record that matches, best first. */
  async ranked(): Promise<RowPlace[]> {
    const byText = this.#clues.some(clue => clue.kind !== 'word')
    const { rows, records } = byText ? await this.#textCandidates() : await this.#wordCandidates()
    const matching = rows.filter(({ evidence }) =>
      evidence.counts.some((count, i) => count > 0 && !this.#clues[i]?.stop),
    )
    const kept = await this.#withoutExcluded(await this.#passing(matching))
    const statistics = this.#statistics(kept, records)
    const scores = rank(
      kept.map(candidate => candidate.evidence),
      statistics,
      this.#snapshot.population,
    )
    return bestRows(kept, scores)
  }

  /** Candidates from the query's rarer words; common words only when there is nothing rarer. */
  async #wordCandidates(): Promise<{ rows: Candidate[]; records: (number | null)[] }> {
    const content = this.#clues.flatMap((clue, index) => (clue.stop ? [] : [{ clue, index }]))
    const postings = []
    for (const entry of content)
      postings.push({ ...entry, ...(await this.#postings([entry.clue], MOST_RECORDS)) })
    const rare = postings
      .filter(posting => !posting.capped)
      .sort((a, b) => a.rows.length - b.rows.length || a.index - b.index)
    const records: (number | null)[] = this.#clues.map(() => null)
    for (const { index, count } of rare) records[index] = count
    const ids = new Set<number>()
    for (const { rows } of rare) {
      if (ids.size >= ENOUGH) break
      for (const id of rows) ids.add(id)
    }
    const common = postings.filter(posting => posting.capped)
    if (ids.size === 0) for (const id of await this.#commonRows(common)) ids.add(id)
    return { rows: await this.#evidence(ids), records }
  }

  async #commonRows(common: { clue: Clue; rows: number[] }[]): Promise<number[]> {
    const [only] = common
    if (!only || common.length === 1) return only?.rows ?? []
    const clues = common.map(posting => posting.clue)
    const ids = new Set((await this.#postings(clues, MOST_RECORDS)).rows)
    if (ids.size < TOO_FEW && clues.length > 2) {
      for (const left of clues) {
        const others = clues.filter(clue => clue !== left)
        for (const id of (await this.#postings(others, TOO_FEW)).rows) ids.add(id)
      }
    }
    for (const { rows } of common) for (const id of rows.slice(0, TOO_FEW)) ids.add(id)
    return [...ids]
  }

  /** The newest rows that hold all of the words, at most `most` records; whether there were more. */
  async #postings(
    clues: readonly Clue[],
    most: number,
  ): Promise<{ rows: number[]; capped: boolean; count: number }> {
    const first = await this.#visible(this.#scope.expression(clues, 'first'), most + 1)
    const capped = first.length > most
    const later = await this.#visible(this.#scope.expression(clues, 'later'), MOST_LATER_ROWS)
    const rows = first.slice(0, most)
    return { rows: [...rows, ...later], capped, count: rows.length + (later.length > 0 ? 1 : 0) }
  }

  /** The newest rows that match and may be seen. */
  async #visible(expression: Parameters<Database['tokens']['match']>[0], most: number): Promise<number[]> {
    const { database, isBounded } = this.#scope
    if (!isBounded) return database.tokens.match(expression, this.#snapshot.below, most)
    const found: number[] = []
    let below = this.#snapshot.below
    for (let size = most; found.length < most; size = Math.min(20_000, size * 2)) {
      const ids = await database.tokens.match(expression, below, size)
      const places = await this.#scope.places(ids)
      const open = new Set(
        places.filter(place => this.#scope.openFields(place) !== null).map(place => place.row_id),
      )
      for (const id of ids) if (open.has(id) && found.length < most) found.push(id)
      const last = ids.at(-1)
      if (last === undefined || ids.length < size) break
      below = last
    }
    return found
  }

  /** Counts the clues in each row, in open fields only; a title counts in every row of its record. */
  async #evidence(ids: ReadonlySet<number>): Promise<Candidate[]> {
    const rows = await this.#scope.rows([...ids])
    const firstIds = new Set(rows.filter(row => row.row_no > 0).map(row => row.row_id - row.row_no))
    const firsts = new Map((await this.#scope.rows([...firstIds])).map(row => [row.row_id, row]))
    const candidates: Candidate[] = []
    for (const row of rows) {
      const open = this.#scope.openFields(row)
      if (!open) continue
      const counts = this.#clues.map(() => 0)
      const titleCode = this.#scope.sources.get(placeKey(row.connection_id, row.stream))?.titleCode ?? null
      let length = this.#count(row, counts, code =>
        open.has(code) ? (code === titleCode ? 1 + TITLE_WEIGHT : 1) : 0,
      )
      const first = row.row_no > 0 ? firsts.get(row.row_id - row.row_no) : undefined
      if (first && titleCode !== null && open.has(titleCode)) {
        length += this.#count(first, counts, code => (code === titleCode ? 1 + TITLE_WEIGHT : 0))
      }
      candidates.push({ row, evidence: { counts, length } })
    }
    return candidates
  }

  #count(row: IndexedRow, counts: number[], weightOf: (code: number) => number): number {
    let length = 0
    for (const section of packedSections(row.sections)) {
      const weight = weightOf(section.code)
      if (weight === 0) continue
      length += section.length
      for (const [i, hash] of this.#hashes.entries())
        counts[i] = (counts[i] ?? 0) + weight * section.count(hash)
    }
    return length
  }

  /** Phrases and prefixes are decided by the text itself, so fewer rows can be looked at. */
  async #textCandidates(): Promise<{ rows: Candidate[]; records: (number | null)[] }> {
    const phrases = this.#clues.filter(clue => clue.kind === 'phrase')
    const groups = phrases.length > 0 ? [phrases] : this.#clues.filter(clue => !clue.stop).map(clue => [clue])
    const ids = new Set<number>()
    for (const group of groups) for (const id of (await this.#postings(group, MOST_TEXTS)).rows) ids.add(id)
    const rows = await this.#scope.rows([...ids].sort((a, b) => b - a).slice(0, 2 * MOST_TEXTS))
    const candidates: Candidate[] = []
    for (const row of rows) {
      const open = this.#scope.openFields(row)
      if (!open) continue
      const evidence = await textCounts(this.#scope, this.#args.owner_id, row, open, this.#clues)
      const complete = this.#clues.every((clue, i) => clue.kind !== 'phrase' || (evidence.counts[i] ?? 0) > 0)
      if (complete) candidates.push({ row, evidence })
    }
    return { rows: candidates, records: this.#clues.map(() => null) }
  }

  /** Leaves out candidates whose record does not pass the filter. */
  async #passing(candidates: Candidate[]): Promise<Candidate[]> {
    const { conditions, sources } = this.#args
    if (!conditions) return candidates
    const records = await loadRecords(
      this.#scope.database,
      this.#args.owner_id,
      candidates.map(({ row }) => row),
    )
    return candidates.filter(({ row }) => {
      const record = records.get(recordPlace(row))
      const index = sources.findIndex(
        source => source.connection_id === row.connection_id && source.stream.name === row.stream,
      )
      const [source, own] = [sources[index], conditions[index]]
      const visible = source && record ? visibleFields(source, record) : undefined
      if (!source || !own || !record || visible === undefined) return false
      const { data, long_texts } = project(source, record, visible)
      return passes(own, data, long_texts)
    })
  }

  /** Leaves out records that hold an excluded word in an open field. */
  async #withoutExcluded(candidates: Candidate[]): Promise<Candidate[]> {
    const { excluded } = this.#args.query
    if (excluded.length === 0) return candidates
    const hidden = new Set<string>()
    const clues = excluded.map((key): Clue => ({ kind: 'word', key, weight: 1, stop: false }))
    const hashes = excluded.map(hashOf)
    const byRecord = Map.groupBy(candidates, ({ row }) => recordPlace(row))
    for (const [place, group] of byRecord) {
      const first = group[0]?.row
      const open = first && this.#scope.openFields(first)
      if (!first || !open) continue
      const rows = await this.#rowsOfRecord(first)
      const holds = rows.some(row =>
        [...packedSections(row.sections)].some(
          ({ code, count }) => open.has(code) && hashes.some(hash => count(hash) > 0),
        ),
      )
      if (holds || clues.length === 0) hidden.add(place)
    }
    return candidates.filter(({ row }) => !hidden.has(recordPlace(row)))
  }

  async #rowsOfRecord(row: IndexedRow): Promise<IndexedRow[]> {
    const records = await loadRecords(this.#scope.database, this.#args.owner_id, [row])
    const count = records.get(recordPlace(row))?.row_count ?? 1
    if (count === 1) return [row]
    const first = row.row_id - row.row_no
    return this.#scope.rows(Array.from({ length: count }, (_, i) => first + i))
  }

  /** How many visible records hold each clue: counted where that was possible, else judged by the candidates. */
  #statistics(candidates: readonly Candidate[], records: readonly (number | null)[]): ClueStatistics[] {
    const { population } = this.#snapshot
    return this.#clues.map((clue, i) => {
      const counted = records[i]
      if (clue.stop) return { weight: 0, records: population }
      if (counted !== null && counted !== undefined) return { weight: clue.weight, records: counted }
      const holding = candidates.filter(({ evidence }) => (evidence.counts[i] ?? 0) > 0).length
      const share = holding / Math.max(1, candidates.length)
      return {
        weight: clue.weight,
        records: Math.min(population, Math.max(holding, Math.round(share * population))),
      }
    })
  }
}

/** Each record by its best row; ties by time, newest first, then by id. */
function bestRows(candidates: readonly Candidate[], scores: readonly number[]): RowPlace[] {
  const best = new Map<string, { row: IndexedRow; score: number }>()
  for (const [i, { row }] of candidates.entries()) {
    const score = scores[i] ?? 0
    const known = best.get(recordPlace(row))
    if (!known || score > known.score || (score === known.score && row.row_no < known.row.row_no)) {
      best.set(recordPlace(row), { row, score })
    }
  }
  return [...best.values()]
    .sort(
      (a, b) =>
        b.score - a.score ||
        compareKeys(b.row.time_key ?? '', a.row.time_key ?? '') ||
        compareKeys(a.row.record_key, b.row.record_key) ||
        compareKeys(a.row.connection_id, b.row.connection_id),
    )
    .map(({ row }) => row)
}

function recordPlace(row: RowPlace): string {
  return `${row.connection_id}/${row.stream}:${row.record_key}`
}

type StoredRow = StoredRecord & { row_count: number }

async function loadRecords(
  database: Database,
  owner_id: string,
  rows: readonly RowPlace[],
): Promise<Map<string, StoredRow>> {
  const loaded = new Map<string, StoredRow>()
  const groups = Map.groupBy(rows, row => placeKey(row.connection_id, row.stream))
  for (const group of groups.values()) {
    const [first] = group
    if (!first) continue
    const keys = [...new Set(group.map(row => row.record_key))]
    for (let i = 0; i < keys.length; i += 500) {
      const found = await database.all<RecordRow>(
        `SELECT ${COLUMNS} FROM records WHERE owner_id = ? AND connection_id = ? AND stream = ? AND deleted = 0
           AND ${database.oneOf('record_key', 'text')}`,
        [owner_id, first.connection_id, first.stream, database.list(keys.slice(i, i + 500))],
      )
      for (const row of found) {
        const place = `${first.connection_id}/${first.stream}:${row.record_key}`
        loaded.set(place, { ...recordOf(row), row_count: row.row_count })
      }
    }
  }
  return loaded
}

async function loadHits(database: Database, args: SearchArgs, page: readonly RowPlace[]): Promise<Hit[]> {
  const records = await loadRecords(database, args.owner_id, page)
  const hits: Hit[] = []
  for (const row of page) {
    const record = records.get(recordPlace(row))
    const index = args.sources.findIndex(
      source => source.connection_id === row.connection_id && source.stream.name === row.stream,
    )
    const source = args.sources[index]
    const visible = source && record ? visibleFields(source, record) : undefined
    if (!source || !record || visible === undefined) continue
    const projection = project(source, record, visible)
    const windows = await proveRecord(database, args.owner_id, projection, row.row_no, args)
    hits.push({ source: index, record, windows })
  }
  return hits
}
