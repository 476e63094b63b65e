import type { Source } from '../../model/access/enforce.ts'
import type { SelectedSource } from '../../model/reading/filter.ts'
import type { Clue } from '../../model/search/search-query.ts'
import { allEnded } from '../budget/all-ended.ts'
import type { Database } from '../engine/database.ts'
import { tallied } from '../records/tallies.ts'

/** What the first page of a search saw. */
export interface Snapshot {
  /** Records whose first rows have this number or a higher one were added later. */
  below: number
  population: number
  /** Whether no record contained the phrases of the query, so that their words were searched for. */
  as_words: boolean
  /** Vectors with this number or a lower one were compared; 0 if meaning was not used. */
  vectors: number
}

const NUMBERS = 'SELECT row_seq, change_seq, catalog_seq FROM owners WHERE owner_id = ?'

export async function takeSnapshot(
  database: Database,
  owner_id: string,
  selected: readonly SelectedSource[],
  clues: readonly Clue[],
): Promise<Snapshot> {
  const numbers = await database.get<TallyState & { row_seq: number }>(NUMBERS, [owner_id])
  // The population determines how rare a word is, which matters only if there is another word.
  const compared = clues.filter(clue => !clue.stop).length > 1
  const population = numbers && compared ? await populationOf(database, owner_id, selected, numbers) : 0
  return { below: (numbers?.row_seq ?? 0) + 1, population, as_words: false, vectors: 0 }
}

/** Sums of an owner's tallies while both numbers had these values: each change to a tally raises one of them. */
interface TallyState {
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
