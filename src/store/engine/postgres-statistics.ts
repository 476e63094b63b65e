import * as tuning from '../../model/search/tuning.ts'
import { IS_CLUSTER, ROWS_OF_BLOCK } from './upgrades/postgres-definitions.ts'
import type { WordExpression } from './word-index.ts'

interface Queryable {
  query(config: { text: string }): Promise<{ rows: object[] }>
}

interface Statistics {
  rows: number
  /** The share of rows that contain each of the most common words. */
  shares: ReadonlyMap<string, number>
  /** The share of the rarest of these words; every other word has a smaller one. */
  least: number
  isCluster: boolean
}

const FRESH_MS = 60_000

const READ = `SELECT c.reltuples::float8 AS rows, s.most_common_elems::text::text[] AS words,
    s.most_common_elem_freqs::float8[] AS shares, ${IS_CLUSTER} AS is_cluster
  FROM pg_class AS c LEFT JOIN pg_stats AS s
    ON s.schemaname = c.relnamespace::regnamespace::text AND s.tablename = c.relname AND s.attname = 'words'
  WHERE c.oid = 'token_index'::regclass`

/**
 * How to find the newest rows: by words, by reading one row after the other, or by words within a stretch of the newest
 * rows that probably contains enough matches.
 */
export type Way = { by: 'words' | 'rows' } | { by: 'stretch'; rows: number }

/** Decides how to find rows. */
export interface Ways {
  wayTo(expression: WordExpression, limit: number): Promise<Way>
  /** Whether rows are distributed over several machines by owner. */
  isCluster(): Promise<boolean>
}

/**
 * Decides how to find rows. PostgreSQL's planner takes rare words and prefixes for common ones and would then read all
 * rows. It also cannot tell that a word in a few per cent of the rows is found in a short stretch of them.
 */
export class WordStatistics implements Ways {
  readonly #queryable: Queryable
  #read: Promise<Statistics> | null = null
  #readAt = 0

  constructor(queryable: Queryable) {
    this.#queryable = queryable
  }

  async wayTo(expression: WordExpression, limit: number): Promise<Way> {
    return cheapestWay(await this.#fresh(), expression, limit)
  }

  async isCluster(): Promise<boolean> {
    return (await this.#fresh()).isCluster
  }

  #fresh(): Promise<Statistics> {
    const now = Date.now()
    if (!this.#read || now - this.#readAt > FRESH_MS) {
      this.#readAt = now
      this.#read = read(this.#queryable)
      this.#read.catch(() => {
        this.#read = null
      })
    }
    return this.#read
  }
}

interface Found {
  rows: number
  words: string[] | null
  shares: number[] | null
  is_cluster: boolean
}

async function read(queryable: Queryable): Promise<Statistics> {
  const { rows } = await queryable.query({ text: READ })
  const [found] = rows as Found[]
  const { words, shares } = found ?? {}
  return {
    rows: Math.max(1, found?.rows ?? 0),
    shares: new Map((words ?? []).map((word, i) => [word, shares?.[i] ?? 0])),
    // The array has the shares of the words, then the smallest and the largest of them.
    least: shares?.[words?.length ?? 0] ?? 0,
    isCluster: found?.is_cluster ?? false,
  }
}

function cheapestWay(statistics: Statistics, expression: WordExpression, limit: number): Way {
  const { rows } = statistics
  const { share, postings } = estimate(statistics, expression)
  const needed = limit / Math.max(share, 1 / rows)
  // Words that must occur together do so more often than if they were independent: in long texts, and about one subject.
  const isTogether = 'all' in expression && expression.all.length > 1
  const stretch = Math.ceil(needed * (isTogether ? 1 : tuning.SPARE_STRETCH))
  const byRow = tuning.NEXT_ROW_COST * Math.min(rows, needed)
  const byWord = tuning.FETCHED_ROW_COST * share * rows + tuning.POSTING_COST * postings
  // Whole blocks are read.
  const read = stretch + ROWS_OF_BLOCK / 2
  const byStretch =
    tuning.STRETCH_ROW_COST * read +
    tuning.FETCHED_ROW_COST * share * read +
    tuning.POSTING_COST * postings * Math.min(1, read / rows)
  if (stretch < rows && byStretch < byWord && byStretch < byRow) return { by: 'stretch', rows: stretch }
  return { by: byWord < byRow ? 'words' : 'rows' }
}

/** How many rows to look at next, if so many had too few matches. */
export function nextStretch(rows: number, found: number, limit: number): number {
  const missing = found === 0 ? Number.POSITIVE_INFINITY : (rows / found) * (limit - found)
  return Math.min(4 * rows, Math.ceil(missing * tuning.SPARE_STRETCH))
}

/** The share of rows that match, assuming that words are independent, and how many postings are read for it. */
function estimate(statistics: Statistics, expression: WordExpression): { share: number; postings: number } {
  const { rows, shares, least } = statistics
  if ('word' in expression) {
    const share = shares.get(expression.word) ?? least * tuning.RARE_WORD_SHARE
    return { share, postings: share * rows }
  }
  if ('prefix' in expression) {
    let share = least * tuning.RARE_PREFIX_WORDS_SHARE
    for (const [word, own] of shares) if (word.startsWith(expression.prefix)) share += own
    return { share: Math.min(1, share), postings: share * rows }
  }
  if ('any' in expression) {
    const estimates = expression.any.map(part => estimate(statistics, part))
    return {
      share: estimates.reduce((sum, { share }) => Math.min(1, sum + share), 0),
      postings: estimates.reduce((sum, { postings }) => sum + postings, 0),
    }
  }
  const estimates = expression.all.map(part => estimate(statistics, part))
  return {
    share: estimates.reduce((product, { share }) => product * share, 1),
    // The index goes by the rarest word, and looks up its rows among those of each other one.
    postings: estimates.length * Math.min(...estimates.map(({ postings }) => postings)),
  }
}
