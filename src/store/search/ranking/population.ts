import type { Clause, Source } from '../../../model/access/enforce.ts'
import type { SelectedSource } from '../../../model/reading/filter.ts'
import { allEnded } from '../../budget/all-ended.ts'
import type { Database } from '../../engine/database.ts'

/** Sums of an owner's tallies while both numbers had these values: each change to a tally raises one of them. */
export interface TallyState {
  change_seq: number
  catalog_seq: number
}

interface Known extends TallyState {
  /** By the SQL and its parameters. */
  sums: Map<string, number>
}

/** The most sums kept for one owner. A bound on memory. */
const MOST_SUMS = 1_000

const ofOwners = new WeakMap<object, Map<string, Known>>()

/**
 * About how many records the clauses of the sources cover. The tallies of a long period are added up once per state.
 */
export async function populationOf(
  database: Database,
  owner_id: string,
  selected: readonly SelectedSource[],
  state: TallyState,
): Promise<number> {
  const { sums } = knownAt(database, owner_id, state)
  const clauses = selected.flatMap(({ source }) => source.clauses.map(clause => ({ source, clause })))
  const counts = await allEnded(
    clauses.map(async ({ source, clause }) => {
      if (clause.record_ids) return clause.record_ids.size
      const { sql, params } = daysOf(owner_id, source, clause)
      const key = JSON.stringify([sql, params])
      const n = sums.get(key) ?? (await database.get<{ n: number | null }>(sql, params))?.n ?? 0
      if (sums.size < MOST_SUMS) sums.set(key, n)
      return n
    }),
  )
  return counts.reduce((sum, n) => sum + n, 0)
}

/** The state is read before the tallies, so sums kept for it are never older. */
function knownAt(database: Database, owner_id: string, state: TallyState): Known {
  const owners = ofOwners.get(database.identity) ?? new Map<string, Known>()
  ofOwners.set(database.identity, owners)
  const known = owners.get(owner_id)
  if (known?.change_seq === state.change_seq && known.catalog_seq === state.catalog_seq) return known
  const fresh = { ...state, sums: new Map<string, number>() }
  owners.set(owner_id, fresh)
  return fresh
}

const MIDNIGHT = 'T00:00:00.000000000Z'

/** The tallies of the days that are entirely within the bounds of a clause. */
function daysOf(
  owner_id: string,
  { connection_id, stream }: Source,
  { since, until }: Clause,
): { sql: string; params: string[] } {
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
  return {
    sql: `SELECT CAST(sum(n) AS BIGINT) AS n FROM tallies WHERE ${conditions.join(' AND ')}`,
    params,
  }
}
