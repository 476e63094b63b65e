import type { Clue } from '../../../model/search/search-query.ts'
import {
  ENOUGH_TEXTS,
  MOST_RECORDS,
  MOST_TEXTS,
  RARE_PREFIX_SHARE,
  TEXTS_AT_ONCE,
} from '../../../model/search/tuning.ts'
import { countInTexts } from './clue-counts.ts'
import type { Candidate, Finder } from './finder.ts'
import { findPostings, newestRows } from './postings.ts'

/**
 * For queries with phrases or prefixes: the index proposes rows, and the texts decide. All phrases must be in a row;
 * without phrases any clue is enough.
 */
export const findByTexts: Finder = async (scope, clues) => {
  const phrases = clues.filter(clue => clue.kind === 'phrase')
  const groups = phrases.length > 0 ? [phrases] : clues.filter(clue => !clue.stop).map(clue => [clue])
  const found = new Map<number, Candidate>()
  /** Reads texts until enough of them hold the group, or until `stop` says that it is not worth it. */
  const read = async (
    rows: readonly number[],
    group: readonly Clue[],
    stop = (_texts: number, _holding: number) => false,
  ) => {
    let holding = 0
    let i = 0
    for (; i < rows.length && holding < ENOUGH_TEXTS && !stop(i, holding); i += TEXTS_AT_ONCE) {
      const part = rows.slice(i, i + TEXTS_AT_ONCE).filter(id => !found.has(id))
      for (const candidate of await countInTexts(scope, part, clues, group)) {
        found.set(candidate.row.row_id, candidate)
        holding++
      }
    }
    return { holding, share: holding / Math.max(1, Math.min(i, rows.length)) }
  }
  for (const group of groups) {
    // A common prefix is found in the newest texts, without collecting all of its words from the index.
    const tooFew = (texts: number, holding: number) => holding * MOST_TEXTS < texts * ENOUGH_TEXTS
    const newest = group[0]?.kind === 'prefix' ? await newestRows(scope, MOST_TEXTS) : []
    const { holding, share } = await read(newest, group, tooFew)
    if (holding >= ENOUGH_TEXTS) continue
    const common = newest.length > 0 && share >= RARE_PREFIX_SHARE
    const { rows } = await findPostings(scope, group, common ? MOST_RECORDS : MOST_TEXTS)
    await read(rows, group)
  }
  return { candidates: [...found.values()], records: clues.map(() => null), newestOf: new Map() }
}
