import type { Source } from '../../../model/access/enforce.ts'
import type { SelectedSource } from '../../../model/reading/filter.ts'
import { allEnded } from '../../budget/all-ended.ts'
import type { Database } from '../../engine/database.ts'
import { tallied } from '../../records/tallies.ts'

/** Sums of an owner's tallies while both numbers had these values: each change to a tally raises one of them. */
export interface TallyState {
  change_seq: number
  catalog_seq: number
}

interface Known extends TallyState {
  /** By place and bounds. */
  sums: Map<string, number>
}

/** The most sums kept for one owner. A bound on memory. */
const MOST_SUMS = 1_000

const ofOwners = new WeakMap<object, Map<string, Known>>()

/**
 * How many records the clauses of the sources cover, counting those that several clauses cover each time. The tallies of
 * a long period are added up once per state.
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
      const { connection_id, stream } = source
      const key = JSON.stringify([connection_id, stream.name, clause.since, clause.until])
      const n = sums.get(key) ?? (await countOf(database, owner_id, { ...source, clauses: [clause] }))
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

/** An exact number: an approximate one would depend on times that may be hidden. */
async function countOf(database: Database, owner_id: string, source: Source): Promise<number> {
  const tallies = (await tallied(database, owner_id, source, 'all')) ?? []
  return tallies.reduce((sum, { n }) => sum + n, 0)
}
