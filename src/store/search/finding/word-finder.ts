import { type Clue, requiredClues } from '../../../model/search/search-query.ts'
import {
  ENOUGH_ROWS,
  FEW_ROWS,
  MOST_COMMON_ROWS,
  MOST_COUNTED,
  MOST_RECORDS,
} from '../../../model/search/tuning.ts'
import { allEnded } from '../../budget/all-ended.ts'
import type { RowPlace } from '../search-rows.ts'
import type { SearchScope } from '../search-scope.ts'
import { countWords } from './clue-counts.ts'
import type { Candidate, Finder } from './finder.ts'
import { findPostings, findPostingsIfFew, type Postings } from './postings.ts'
import { shareByReach } from './reach.ts'

interface CommonWord extends Postings {
  clue: Clue
}

/** Words that are looked up at the same time. */
const CLUES_AT_ONCE = 8
/** Means: more matching records than are counted. */
const MANY = MOST_COUNTED + 1

/** Candidates come from the rarer words of the query; common words add candidates only if there are few. */
export const findByWords: Finder = async (scope, { clues, without }) => {
  const records: (number | null)[] = clues.map(() => null)
  const [rare, common]: [Postings[], CommonWord[]] = [[], []]
  const found = await lookUp(scope, clues)
  for (const [index, postings] of found.entries()) {
    const clue = clues[index]
    if (!postings || !clue) continue
    if (postings.capped) common.push({ ...postings, clue })
    else {
      rare.push(postings)
      records[index] = postings.records
    }
  }
  if (common.length > 0) scope.isTruncated = true
  const ids = new Set<number>()
  for (const { rows } of rare.sort((a, b) => a.rows.length - b.rows.length)) {
    if (ids.size >= ENOUGH_ROWS) {
      scope.isTruncated = true
      break
    }
    for (const id of rows) ids.add(id)
  }
  const newestOf = new Map<number, number>()
  let matching = matchingOf(scope, clues, found)
  if (ids.size < FEW_ROWS) {
    for (const { clue, rows } of common) {
      for (const id of rows.slice(0, FEW_ROWS)) if (!ids.has(id)) newestOf.set(id, clues.indexOf(clue))
    }
    const { rows, areMany } = await commonRows(scope, common)
    for (const id of rows) if (ids.size < MOST_COMMON_ROWS) ids.add(id)
    if (areMany && requiredClues(clues).every(clue => common.some(each => each.clue === clue)))
      matching = MANY
  }
  const candidates: Candidate[] = []
  let isCounted = false
  await scope.attempt(0.7, async () => {
    await countWords(scope, [...ids], clues, candidates)
    isCounted = true
  })
  const holding = isCounted && !scope.isFiltered ? firstRowsHoldingAll(clues, found, ids, candidates) : null
  const shares = without.includes('reach') ? clues.map(() => null) : await sharesOf(scope, clues, common)
  return { candidates, records, matching, holding, shares, newestOf }
}

/** For a single word, taken from its postings. Under a filter the budget may have left out some of them. */
function matchingOf(
  scope: SearchScope,
  clues: readonly Clue[],
  found: readonly (Postings | null)[],
): number | null {
  const [only, ...others] = requiredClues(clues)
  const postings = only && others.length === 0 ? found[clues.indexOf(only)] : null
  if (postings?.capped) return MANY
  return postings?.isWhole && !scope.isFiltered ? postings.records : null
}

/** If every row of one required word is a candidate, so are all rows that contain all of them. */
function firstRowsHoldingAll(
  clues: readonly Clue[],
  found: readonly (Postings | null)[],
  ids: ReadonlySet<number>,
  candidates: readonly Candidate[],
): RowPlace[] | null {
  const required = requiredClues(clues).map(clue => clues.indexOf(clue))
  const isKnown = required.some(i => found[i]?.capped === false && found[i].rows.every(id => ids.has(id)))
  if (!isKnown) return null
  const holdsAll = ({ counts }: Candidate) => required.every(i => (counts[i] ?? 0) > 0)
  return candidates.filter(one => one.row.row_no === 0 && holdsAll(one)).map(({ row }) => row)
}

/** The postings of each clue; null for stop words, and for clues that the budget did not reach. */
async function lookUp(scope: SearchScope, clues: readonly Clue[]): Promise<(Postings | null)[]> {
  // Among other words, a common word adds only its newest records; alone, it also adds the later rows of long records.
  const alone = requiredClues(clues).length === 1
  const look = alone ? findPostings : findPostingsIfFew
  const found: (Postings | null)[] = clues.map(() => null)
  await scope.attempt(0.5, async () => {
    for (let i = 0; i < clues.length; i += CLUES_AT_ONCE) {
      const some = clues.slice(i, i + CLUES_AT_ONCE)
      await allEnded(
        some.map(async (clue, n) => {
          if (!clue.stop) found[i + n] = await look(scope, [clue], MOST_RECORDS)
        }),
      )
    }
  })
  return found
}

/** The share of the visible records that contain each common word, if known. */
async function sharesOf(
  scope: SearchScope,
  clues: readonly Clue[],
  common: readonly CommonWord[],
): Promise<(number | null)[]> {
  const shares: (number | null)[] = clues.map(() => null)
  // How rare a word is matters only if there is another.
  if (clues.filter(({ stop }) => !stop).length > 1)
    await scope.attempt(0.3, async () => {
      for (let i = 0; i < common.length; i += CLUES_AT_ONCE) {
        const some = common.slice(i, i + CLUES_AT_ONCE)
        await allEnded(
          some.map(async ({ clue, rows }) => {
            shares[clues.indexOf(clue)] = await shareByReach(scope, rows)
          }),
        )
      }
    })
  return shares
}

/**
 * The newest rows of each common word, and the rows that contain several: words are added until there are not too many
 * rows. Also says whether too many rows contain all of them.
 */
async function commonRows(
  scope: SearchScope,
  common: readonly CommonWord[],
): Promise<{ rows: number[]; areMany: boolean }> {
  const [only] = common
  if (!only || common.length === 1) return { rows: only?.rows ?? [], areMany: only !== undefined }
  const ids = common.flatMap(({ rows }) => rows.slice(0, FEW_ROWS))
  // Of two words, the one whose newest rows reach further back is the rarer.
  const reach = ({ rows }: Postings) => rows[MOST_RECORDS - 1] ?? 0
  const clues = common.toSorted((a, b) => reach(a) - reach(b)).map(({ clue }) => clue)
  const together: number[] = []
  let areMany = false
  await scope.attempt(0.5, async () => {
    for (let count = 2; count <= clues.length; count++) {
      const { rows, capped } = await findPostings(scope, clues.slice(0, count), MOST_RECORDS)
      together.push(...rows)
      if (!capped) break
      areMany = count === clues.length
    }
  })
  return { rows: [...together.reverse(), ...ids], areMany }
}
