import type { Clause, Source } from '../../model/access/enforce.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import { compareKeys, type SelectedSource } from '../../model/reading/filter.ts'
import type { Clue } from '../../model/search/search-query.ts'
import { allEnded } from '../budget/budget.ts'
import type { View } from '../engine/database.ts'
import { timeColumn } from '../records/records.ts'
import { tallied } from '../records/tallies.ts'
import { AFTER_LAST_TIME, FIRST_TIME } from './clause-groups.ts'
import type { VectorsMade } from './meaning/vectors.ts'

/** What the first page of a search saw. */
export interface Snapshot {
  /** Records at this position or a higher one came into view later. */
  below: number
  population: number
  /** Whether no record contained the phrases of the query, so that their words were searched for. */
  as_words: boolean
  /** The vectors that were compared; null if meaning was not used. */
  vectors: VectorsMade | null
}

/** Usually only numbers, which fit into a cursor. */
export type PackedSnapshot = [
  below: number,
  population: number,
  as_words: 0 | 1,
  by_meaning: 0 | 1,
  up_to: number,
  streams?: VectorsMade['streams'],
]

export function packSnapshot({ below, population, as_words, vectors }: Snapshot): PackedSnapshot {
  const { up_to, streams } = vectors ?? { up_to: 0, streams: {} }
  const more: [VectorsMade['streams']?] = Object.keys(streams).length > 0 ? [streams] : []
  return [below, population, as_words ? 1 : 0, vectors ? 1 : 0, up_to, ...more]
}

export function unpackSnapshot(packed: PackedSnapshot): Snapshot {
  const [below, population, as_words, by_meaning, up_to, streams = {}] = packed
  const vectors = by_meaning === 1 ? { up_to, streams } : null
  return { below, population, as_words: as_words === 1, vectors }
}

const NUMBERS = 'SELECT row_seq, change_seq, catalog_seq FROM owners WHERE owner_id = ?'

/** With the last change that it saw. */
export async function takeSnapshot(
  database: View,
  owner_id: string,
  selected: readonly SelectedSource[],
  clues: readonly Clue[],
): Promise<Snapshot & { changes: number }> {
  const numbers = await database.get<TallyState & { row_seq: number }>(NUMBERS, [owner_id])
  // The population determines how rare a word is, which matters only if there is another word.
  const compared = clues.filter(clue => !clue.stop).length > 1
  const population = numbers && compared ? await populationOf(database, owner_id, selected, numbers) : 0
  const { row_seq = 0, change_seq = 0 } = numbers ?? {}
  return { below: row_seq + 1, changes: change_seq, population, as_words: false, vectors: null }
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
 * How many records may be seen. The tallies of a long period are added up once per state. Records that are named do not
 * count again by their time: it may be hidden.
 */
export async function populationOf(
  database: View,
  owner_id: string,
  selected: readonly SelectedSource[],
  state: TallyState,
): Promise<number> {
  const { sums } = knownAt(database, owner_id, state)
  const clauses = selected.flatMap(({ source }) => apart(source).map(clause => ({ source, clause })))
  const counts = await allEnded(
    clauses.map(async ({ source, clause }) => {
      if (clause.record_ids) return clause.record_ids.size
      const { connection_id, stream } = source
      const key = JSON.stringify([connection_id, stream.name, clause.since, clause.until])
      const n = sums.get(key) ?? (await countOf(database, owner_id, { ...source, clauses: [clause] }))
      if (sums.size < MOST_SUMS) sums.set(key, n)
      const isWhole = clause.since === null && clause.until === null
      return isWhole ? n : n - (await namedWithin(database, owner_id, source, clause))
    }),
  )
  return counts.reduce((sum, n) => sum + n, 0)
}

/**
 * Clauses that cover the same records and do not overlap in time: whether one or several clauses cover a record may depend
 * on a time that is hidden.
 */
function apart({ clauses }: Source): Clause[] {
  const timed = clauses.filter(clause => clause.record_ids === null)
  const whole = timed.find(({ since, until }) => since === null && until === null)
  if (whole) return [whole]
  const parts = clauses.filter(clause => clause.record_ids !== null)
  let covered: string | null = ''
  for (const clause of timed.toSorted((a, b) => compareKeys(a.since ?? '', b.since ?? ''))) {
    if (covered === null) break
    const since: string | null = (clause.since ?? '') < covered ? covered : clause.since
    if (clause.until !== null && clause.until <= (since ?? '')) continue
    parts.push({ ...clause, since })
    covered = clause.until
  }
  return parts
}

/** The state is read before the tallies, so sums kept for it are never older. */
function knownAt(database: View, owner_id: string, state: TallyState): Known {
  const owners = ofOwners.get(database.identity) ?? new Map<string, Known>()
  ofOwners.set(database.identity, owners)
  const known = owners.get(owner_id)
  if (known?.change_seq === state.change_seq && known.catalog_seq === state.catalog_seq) return known
  const fresh = { ...state, sums: new Map<string, number>() }
  owners.set(owner_id, fresh)
  return fresh
}

/** An exact number: an approximate one would depend on times that may be hidden. */
async function countOf(database: View, owner_id: string, source: Source): Promise<number> {
  const tallies = (await tallied(database, owner_id, source, 'all')) ?? []
  return tallies.reduce((sum, { n }) => sum + n, 0)
}

/** How many of the records that clauses of a source name are within the bounds of another clause. */
async function namedWithin(
  database: View,
  owner_id: string,
  source: Source,
  { since, until }: Clause,
): Promise<number> {
  const named = new Set(source.clauses.flatMap(({ record_ids }) => [...(record_ids ?? [])]))
  if (named.size === 0) return 0
  const column = timeColumn(source)
  const [row] = await database.numbers(
    `SELECT count(*) AS n FROM records WHERE owner_id = ? AND connection_id = ? AND stream = ? AND deleted = 0
       AND ${column} >= ? AND ${column} < ? AND ${database.oneOf('record_key', 'text')}`,
    [
      owner_id,
      source.connection_id,
      source.stream.name,
      since ?? FIRST_TIME,
      until ?? AFTER_LAST_TIME,
      database.list([...named].map(recordKey)),
    ],
  )
  return row ?? 0
}
