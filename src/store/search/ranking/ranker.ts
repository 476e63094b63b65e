import type { Reason } from '../../../api/search.ts'
import { compareKeys } from '../../../model/reading/filter.ts'
import { bm25, rarityOf } from '../../../model/search/bm25.ts'
import type { Vector } from '../../../model/search/meaning.ts'
import type { AskedTime } from '../../../model/search/query-dates.ts'
import type { Refinement } from '../../../model/search/refinements.ts'
import { firstRow } from '../../../model/search/row-numbers.ts'
import type { Clue, SearchQuery } from '../../../model/search/search-query.ts'
import { WITHIN_RECORD } from '../../../model/search/tuning.ts'
import type { Candidate } from '../finding/finder.ts'
import type { VectorsMade } from '../meaning/vectors.ts'
import type { IndexedRow } from '../search-rows.ts'
import type { SearchScope } from '../search-scope.ts'

/** The meaning of a query, and how many of the ranked records were compared with it. */
export class MeaningOfQuery {
  readonly vector: Vector
  /** The vectors of records that the first page compared. */
  readonly made: VectorsMade
  share = 0

  constructor(vector: Vector, made: VectorsMade) {
    this.vector = vector
    this.made = made
  }
}

/** A candidate with its score so far. */
export interface Ranked {
  readonly candidate: Candidate
  score: number
  /** Its time, if it may be seen. */
  readonly time: string
  /** Its index among the candidates. */
  readonly index: number
}

/** What rankers may use besides the candidates. All of it comes from what the reader may see. */
export interface RankingContext {
  scope: SearchScope
  query: SearchQuery
  clues: readonly Clue[]
  /** The weight of each clue. */
  rarities: readonly number[]
  /** The times that the query names. */
  times: readonly AskedTime[]
  /** The meaning of the query, if a model provides it. */
  meaning: MeaningOfQuery | null
  /** How many of the best records need exact scores and places; all of them, if a later ranker compares them. */
  wanted: number
}

/** A record in its place, by its best row. */
export interface RankedRecord {
  candidate: Candidate
  reasons: readonly Reason[]
  /** All of its rows that contain clues, those first that say most about where in the record to read. */
  rows: IndexedRow[]
}

/** Scores candidates. The first ranker scores the rows that were found, the next ones re-rank the best records. */
export interface Ranker {
  name: string
  /** The refinement that turns it off; the first ranker cannot be turned off. */
  refinement?: Refinement
  /** How many of the best are scored; the others follow in their previous order. */
  depth: number
  /** A score for each, in the order given; null if the scores do not change. */
  score(ranked: readonly Ranked[], context: RankingContext): Scores | null | Promise<Scores | null>
}

type Scores = readonly number[]

/** The points that a ranker added to each candidate. */
interface Step {
  by: string
  points: Float64Array
}

/** The wanted places, each record by its best row and best first, after all rankers have scored them in turn. */
export async function rankBy(
  rankers: readonly Ranker[],
  candidates: readonly Candidate[],
  context: RankingContext,
  [from, to]: readonly [from: number, to: number] = [0, candidates.length],
): Promise<RankedRecord[]> {
  const steps: Step[] = []
  const rows: readonly Ranked[] = candidates.map((candidate, index) => {
    const time = context.scope.visibleTime(candidate.row) ?? ''
    return { candidate, score: 0, time, index }
  })
  // Two rows of a record are never both its first.
  const hasLater = candidates.some(({ row }) => row.row_no > 0)
  let ranked = rows
  for (const ranker of rankers) {
    if (ranker.refinement && context.query.without.includes(ranker.refinement)) continue
    const best = ranked.slice(0, ranker.depth)
    const scores = await ranker.score(best, context)
    if (!scores) continue
    const points = new Float64Array(rows.length)
    for (let i = 0; i < best.length; i++) {
      const each = best[i] as Ranked
      const score = scores[i] ?? 0
      points[each.index] = score - each.score
      each.score = score
    }
    steps.push({ by: ranker.name, points })
    const records = steps.length === 1 && hasLater ? bestRows(best) : best
    ranked = [...inOrder(records), ...ranked.slice(ranker.depth)]
  }
  const rowsOfEach = hasLater ? Map.groupBy(candidates, ({ row }) => firstRow(row)) : null
  return ranked.slice(from, to).map(({ candidate, index }) => ({
    candidate,
    reasons: reasonsOf(index, steps),
    rows: inReadingOrder(rowsOfEach?.get(firstRow(candidate.row)) ?? [candidate], context),
  }))
}

function reasonsOf(index: number, steps: readonly Step[]): Reason[] {
  return steps.flatMap(({ by, points }) => {
    const own = points[index] ?? 0
    return own === 0 ? [] : [{ by, points: own }]
  })
}

/**
 * The rows of a record, by clues that are rare among them: which record is meant is settled, so it does not matter how
 * many other records contain a clue.
 */
function inReadingOrder(rows: readonly Candidate[], { clues }: RankingContext): IndexedRow[] {
  if (rows.length === 1) return rows.map(({ row }) => row)
  const weights = clues.map(({ stop, weight }, i) => {
    const holding = rows.filter(({ counts }) => (counts[i] ?? 0) > 0).length
    return stop ? 0 : weight * rarityOf(holding, rows.length)
  })
  const scores = bm25(rows, weights, WITHIN_RECORD)
  return [...rows.keys()]
    .sort(
      (a, b) =>
        (scores[b] ?? 0) - (scores[a] ?? 0) ||
        (rows[a] as Candidate).row.row_no - (rows[b] as Candidate).row.row_no,
    )
    .map(i => (rows[i] as Candidate).row)
}

function bestRows(ranked: readonly Ranked[]): Ranked[] {
  const best = new Map<number, Ranked>()
  for (const entry of ranked) {
    const { row } = entry.candidate
    const known = best.get(firstRow(row))
    const isBetter =
      !known ||
      entry.score > known.score ||
      (entry.score === known.score && row.row_no < known.candidate.row.row_no)
    if (isBetter) best.set(firstRow(row), entry)
  }
  return [...best.values()]
}

/** Equal scores are ordered by time, newest first, if the time may be seen, then by record. */
function inOrder(ranked: Ranked[]): Ranked[] {
  return ranked.sort((a, b) => {
    if (a.score !== b.score) return b.score - a.score
    const one = a.candidate.row
    const other = b.candidate.row
    return (
      compareKeys(b.time, a.time) ||
      compareKeys(one.record_key, other.record_key) ||
      compareKeys(one.connection_id, other.connection_id) ||
      compareKeys(one.stream, other.stream)
    )
  })
}
