import type { Clause, Source } from '../../model/access/enforce.ts'
import type { SelectedSource } from '../../model/reading/filter.ts'
import type { Clue } from '../../model/search/search-query.ts'
import type { Database } from '../engine/database.ts'
import { lastNumber } from '../engine/owner-numbers.ts'

/** What the first page of a search saw. */
export interface Snapshot {
  /** Records whose first rows have this number or a higher one were added later. */
  below: number
  population: number
  /** Whether no record held the phrases of the query, so that their words were searched for. */
  as_words: boolean
  /** Vectors with this number or a lower one were compared; 0 if meaning took no part. */
  vectors: number
}

export async function takeSnapshot(
  database: Database,
  owner_id: string,
  selected: readonly SelectedSource[],
  clues: readonly Clue[],
): Promise<Snapshot> {
  // The population decides how rare a word is, which matters only if there is another word.
  const compared = clues.filter(clue => !clue.stop).length > 1
  const clauses = selected.flatMap(({ source }) => source.clauses.map(clause => ({ source, clause })))
  const [last, ...counts] = await Promise.all([
    lastNumber(database, owner_id, 'row_seq'),
    ...(compared ? clauses : []).map(({ source, clause }) => recordsOf(database, owner_id, source, clause)),
  ])
  const population = counts.reduce((sum, n) => sum + n, 0)
  return { below: last + 1, population, as_words: false, vectors: 0 }
}

const MIDNIGHT = 'T00:00:00.000000000Z'

/** About how many records a clause opens: the tallies of the days that are entirely within its bounds. */
async function recordsOf(
  database: Database,
  owner_id: string,
  { connection_id, stream }: Source,
  { since, until, record_ids }: Clause,
): Promise<number> {
  if (record_ids) return record_ids.size
  const conditions = ['owner_id = ?', 'connection_id = ?', 'stream = ?']
  const params = [owner_id, connection_id, stream.name]
  if (since !== null) {
    conditions.push('day >= ?')
    params.push(since.endsWith(MIDNIGHT) ? since.slice(1, 11) : `${since.slice(1, 11)}~`)
  }
  if (until !== null) {
    conditions.push('day < ?')
    params.push(until.slice(1, 11))
  }
  if (since !== null || until !== null) conditions.push(`day <> ''`)
  const sql = `SELECT CAST(sum(n) AS BIGINT) AS n FROM tallies WHERE ${conditions.join(' AND ')}`
  return (await database.get<{ n: number | null }>(sql, params))?.n ?? 0
}
