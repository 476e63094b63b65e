import { visibleFields } from '../../model/access/enforce.ts'
import { compareKeys, passes, type SelectedSource } from '../../model/reading/filter.ts'
import { project } from '../../model/reading/record.ts'
import { type ClueStatistics, rank } from '../../model/search/ranking.ts'
import { describeHit, shownByHit } from '../../model/search/search-hit.ts'
import type { Clue, SearchQuery } from '../../model/search/search-query.ts'
import type { Database } from '../engine/database.ts'
import { TextReplaced } from '../records/long-text.ts'
import { findCandidates } from './candidates.ts'
import type { Candidate } from './evidence.ts'
import { withoutExcluded } from './exclusion.ts'
import { headOf } from './hit-head.ts'
import { knownFieldCodes, searchedFields } from './indexing.ts'
import { loadRecords, recordPlace } from './load-records.ts'
import { type Accept, MOST_RECORDS, PostingFinder } from './postings.ts'
import { createProver, piecesOfRow } from './proof.ts'
import { type RowPlace, SearchScope } from './scope.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'
import { placeKey } from './sources.ts'

export interface SearchArgs {
  owner_id: string
  selected: readonly SelectedSource[]
  query: SearchQuery
  since: string | null
  until: string | null
  /** What the first page saw, so that later pages rank the same records in the same way. */
  snapshot: Snapshot | null
  skip: number
  limit: number
  windows: number
  window_chars: number
  publicUrl: string
}

/**
 * Hits and what they show, as JSON: a few texts go from thread to thread in a fraction of the time that many small
 * objects take, and need not be written again.
 */
export interface SearchPage {
  hits: string[]
  shown: string[]
  more: boolean
  snapshot: Snapshot
}

export async function searchRecords(database: Database, args: SearchArgs): Promise<SearchPage> {
  const { since, until, owner_id, skip, limit } = args
  const sources = args.selected.map(({ source }) => source)
  const fields = sources.flatMap(source => searchedFields(source.stream))
  const [codes, snapshot] = await Promise.all([
    knownFieldCodes(database, owner_id, fields),
    args.snapshot ?? takeSnapshot(database, owner_id, sources, args.query),
  ])
  const scope = new SearchScope({ database, owner_id, sources, codes, since, until })
  if (scope.openings.length === 0 || args.query.clues.length === 0)
    return { hits: [], shown: [], more: false, snapshot }
  const ranked = await rankedRows(scope, args, snapshot)
  const hits = await loadHits(scope, args, ranked.slice(skip, skip + limit))
  return { ...hits, more: ranked.length > skip + limit, snapshot }
}

/** The best row of each record that matches, best first. */
async function rankedRows(scope: SearchScope, args: SearchArgs, snapshot: Snapshot): Promise<RowPlace[]> {
  const { clues, excluded } = args.query
  const finder = new PostingFinder(scope, snapshot.below, acceptOf(scope, args))
  const { candidates, records, newestOf } = await findCandidates(scope, finder, clues)
  const matching = candidates.filter(({ evidence }) =>
    evidence.counts.some((count, i) => count > 0 && !clues[i]?.stop),
  )
  const kept = await withoutExcluded(scope, matching, excluded)
  const statistics = statisticsOf(clues, kept, records, newestOf, snapshot.population)
  const scores = rank(
    kept.map(candidate => candidate.evidence),
    statistics,
    snapshot.population,
  )
  return bestRows(scope, kept, scores)
}

/** Which rows belong to records that pass the filter. */
function acceptOf(scope: SearchScope, { selected }: SearchArgs): Accept | null {
  if (selected.every(({ conditions }) => conditions.length === 0)) return null
  const own = new Map(
    selected.map(entry => [placeKey(entry.source.connection_id, entry.source.stream.name), entry]),
  )
  return async places => {
    const records = await loadRecords(scope.database, scope.owner_id, places)
    return places.filter(place => {
      const entry = own.get(placeKey(place.connection_id, place.stream))
      const record = records.get(recordPlace(place))
      const visible = entry && record ? visibleFields(entry.source, record) : undefined
      if (!entry || !record || visible === undefined) return false
      const { data, long_texts } = project(entry.source, record, visible)
      return passes(entry.conditions, data, long_texts)
    })
  }
}

/**
 * How many visible records hold each clue: counted where that was possible, else judged by rows that were not chosen
 * for it, which are the newest rows of the other common words or else all candidates.
 */
function statisticsOf(
  clues: readonly Clue[],
  candidates: readonly Candidate[],
  records: readonly (number | null)[],
  newestOf: ReadonlyMap<number, number>,
  population: number,
): ClueStatistics[] {
  return clues.map(({ stop, weight }, i) => {
    const counted = records[i]
    if (stop) return { weight: 0, records: population }
    if (counted !== null && counted !== undefined) return { weight, records: counted }
    const others = candidates.filter(({ row }) => (newestOf.get(row.row_id) ?? i) !== i)
    const judges = others.length > 0 ? others : candidates
    const holding = judges.filter(({ evidence }) => (evidence.counts[i] ?? 0) > 0).length
    const share = holding / Math.max(1, judges.length)
    // A word was judged by others because it has more postings than are looked at.
    const least = others.length > 0 ? MOST_RECORDS : holding
    return { weight, records: Math.min(population, Math.max(least, Math.round(share * population))) }
  })
}

/** Each record by its best row; ties by time, newest first, where the time may be seen, then by id. */
function bestRows(
  scope: SearchScope,
  candidates: readonly Candidate[],
  scores: readonly number[],
): RowPlace[] {
  const best = new Map<number, { row: RowPlace; score: number }>()
  for (const [i, { row }] of candidates.entries()) {
    const score = scores[i] ?? 0
    const first = row.row_id - row.row_no
    const known = best.get(first)
    if (!known || score > known.score || (score === known.score && row.row_no < known.row.row_no))
      best.set(first, { row, score })
  }
  return [...best.values()]
    .map(({ row, score }) => ({ row, score, time: scope.visibleTime(row) ?? '' }))
    .sort(
      (a, b) =>
        b.score - a.score ||
        compareKeys(b.time, a.time) ||
        compareKeys(a.row.record_key, b.row.record_key) ||
        compareKeys(a.row.connection_id, b.row.connection_id) ||
        compareKeys(a.row.stream, b.row.stream),
    )
    .map(({ row }) => row)
}

async function loadHits(
  scope: SearchScope,
  args: SearchArgs,
  page: readonly RowPlace[],
): Promise<Pick<SearchPage, 'hits' | 'shown'>> {
  const { database, owner_id } = scope
  const records = await loadRecords(database, owner_id, page)
  const places = new Map(
    args.selected.map(({ source }) => [placeKey(source.connection_id, source.stream.name), source]),
  )
  const prove = createProver(args)
  const hits = page.map(async row => {
    const key = placeKey(row.connection_id, row.stream)
    const source = places.get(key)
    const record = records.get(recordPlace(row))
    const visible = source && record ? visibleFields(source, record) : undefined
    if (!source || !record || visible === undefined) return []
    const title = scope.sources.get(key)?.title ?? null
    const projection = project(source, record, visible)
    try {
      const pieces =
        args.windows === 0 ? [] : await piecesOfRow(database, owner_id, projection, row.row_no, title)
      const head = await headOf(database, owner_id, projection)
      const windows = prove(pieces)
      return [
        { hit: describeHit(args.publicUrl, source, head, windows), shown: shownByHit(source, head, windows) },
      ]
    } catch (error) {
      // The record was changed meanwhile; what was found is there no more.
      if (error instanceof TextReplaced) return []
      throw error
    }
  })
  const loaded = (await Promise.all(hits)).flat()
  return {
    hits: loaded.map(({ hit }) => JSON.stringify(hit)),
    shown: loaded.map(({ shown }) => JSON.stringify(shown)),
  }
}
