import type { SelectedSource } from '../../model/reading/filter.ts'
import type { Clue } from '../../model/search/search-query.ts'
import type { Database } from '../engine/database.ts'
import { populationOf, type TallyState } from './ranking/population.ts'

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
