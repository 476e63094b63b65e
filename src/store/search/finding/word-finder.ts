import { askedPerson } from '../../../model/search/person-details.ts'
import { type Clue, isFurther, requiredClues } from '../../../model/search/search-query.ts'
import * as tuning from '../../../model/search/tuning.ts'
import { allEnded } from '../../budget/budget.ts'
import type { RowPlace } from '../search-rows.ts'
import type { SearchScope } from '../search-scope.ts'
import { countWords } from './clue-counts.ts'
import type { Candidate, Finder } from './finder.ts'
import { findPostings, findPostingsIfFew, type Postings, titledRows } from './postings.ts'
import { shareByReach } from './reach.ts'

interface CommonWord extends Postings {
  clue: Clue
}

/** The postings of one clue, or of several together. */
interface KnownRows extends Postings {
  clues: readonly Clue[]
}

/** Words that are looked up at the same time. */
const CLUES_AT_ONCE = 8
/** Means: more matching records than are counted. */
const MANY = tuning.MOST_COUNTED + 1

/** Candidates come from the rarer words of the query; common words add candidates only if there are few. */
export const findByWords: Finder = async (scope, { clues, without, areAllMeant }) => {
  const records: (number | null)[] = clues.map(() => null)
  const [rare, common]: [Postings[], CommonWord[]] = [[], []]
  const required = requiredClues(clues)
  const areMany = required.length >= tuning.MANY_WORDS && scope.population >= tuning.MANY_RECORDS
  const most = areMany ? tuning.MOST_RECORDS_AMONG_MANY : tuning.MOST_RECORDS
  const found = await lookUp(scope, clues, most)
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
    if (ids.size >= tuning.ENOUGH_ROWS) {
      scope.isTruncated = true
      break
    }
    for (const id of rows) ids.add(id)
  }
  const known: KnownRows[] = clues.flatMap((clue, i) => (found[i] ? [{ ...found[i], clues: [clue] }] : []))
  const newestOf = new Map<number, number>()
  let isCapped = required.length === 1 && (found[clues.indexOf(required[0] as Clue)]?.capped ?? false)
  if (ids.size < tuning.FEW_ROWS) {
    for (const { clue, rows } of common)
      for (const id of rows.slice(0, tuning.FEW_ROWS)) if (!ids.has(id)) newestOf.set(id, clues.indexOf(clue))
    const titled = await commonTitles(scope, required, common)
    const { rows, together } =
      (areAllMeant ? await allHolding(scope, required, common) : null) ??
      (await commonRows(scope, common, most))
    // Of a single word, as many of its newest rows are left out.
    const others = common.length === 1 ? rows.toSpliced(most - titled.length, titled.length) : rows
    for (const id of [...titled, ...others]) if (ids.size < tuning.MOST_COMMON_ROWS) ids.add(id)
    // With several groups, the fields of one may contain one word and those of another the next.
    if (together && scope.groups.length === 1) known.push(together)
    isCapped ||= (together?.capped ?? false) && required.every(clue => together?.clues.includes(clue))
  }
  if (!without.includes('cards')) for (const id of await cardsOf(scope, clues)) ids.add(id)
  const candidates: Candidate[] = []
  let isCounted = false
  await scope.attempt(0.7, async () => {
    await countWords(scope, [...ids], clues, candidates)
    isCounted = true
  })
  const holding = isCounted && !scope.isFiltered ? firstRowsHoldingAll(clues, known, ids, candidates) : null
  const matching = isCapped ? await countMore(scope, required) : matchingOf(scope, clues, found)
  const shares = without.includes('reach')
    ? clues.map(() => null)
    : await sharesOf(scope, clues, common, most)
  const rarest = scope.isFiltered ? null : rarestOf(required.map(clue => found[clues.indexOf(clue)] ?? null))
  return { candidates, records, matching, holding, rarest, shares, newestOf, most }
}

/** The rows of the word with the fewest, among those whose rows are all known. */
function rarestOf(found: readonly (Postings | null)[]): readonly number[] | null {
  const whole = found.flatMap(postings => (postings?.isWhole ? [postings.rows] : []))
  return whole.sort((a, b) => a.length - b.length)[0] ?? null
}

/**
 * How many records contain all of some words, if more do than were looked up; null if that is not known. With several
 * groups, a record may contain one word in a field of one group and the next in a field of another.
 */
async function countMore(scope: SearchScope, words: readonly Clue[]): Promise<number | null> {
  if (scope.isFiltered) return null
  let count: number | null = null
  const isTruncated = scope.isTruncated
  await scope.attempt(0.5, async () => {
    const { capped, isWhole, records } = await findPostings(scope, words, tuning.MOST_COUNTED, false)
    if (capped) count = MANY
    else if (isWhole && (words.length === 1 || scope.groups.length === 1)) count = records
  })
  scope.isTruncated = isTruncated
  return count
}

/** For a single word, taken from its postings. Under a filter the budget may have left out some of them. */
function matchingOf(
  scope: SearchScope,
  clues: readonly Clue[],
  found: readonly (Postings | null)[],
): number | null {
  const [only, ...others] = requiredClues(clues)
  const postings = only && others.length === 0 ? found[clues.indexOf(only)] : null
  return postings?.isWhole && !scope.isFiltered ? postings.records : null
}

/** If every row of some required words is a candidate, so are all rows that contain all of them. */
function firstRowsHoldingAll(
  clues: readonly Clue[],
  known: readonly KnownRows[],
  ids: ReadonlySet<number>,
  candidates: readonly Candidate[],
): RowPlace[] | null {
  const all = requiredClues(clues)
  const isCandidate = ({ clues, capped, rows }: KnownRows) =>
    !capped && clues.every(clue => all.includes(clue)) && rows.every(id => ids.has(id))
  if (!known.some(isCandidate)) return null
  const required = all.map(clue => clues.indexOf(clue))
  const holdsAll = ({ counts }: Candidate) => required.every(i => (counts[i] ?? 0) > 0)
  return candidates.filter(one => one.row.row_no === 0 && holdsAll(one)).map(({ row }) => row)
}

/** The postings of each clue; null for stop words, and for clues that the budget did not reach. */
async function lookUp(
  scope: SearchScope,
  clues: readonly Clue[],
  most: number,
): Promise<(Postings | null)[]> {
  // Among other words, a common word adds only its newest records; alone, it also adds the later rows of long records.
  const alone = requiredClues(clues).length === 1
  const look = alone ? findPostings : findPostingsIfFew
  const found: (Postings | null)[] = clues.map(() => null)
  const lookUpEach = async (some: readonly Clue[]) => {
    const atOnce = scope.isFiltered ? some.length : CLUES_AT_ONCE
    for (let i = 0; i < some.length; i += atOnce)
      await scope.lookUpEach(
        some.slice(i, i + atOnce).map(clue => async () => {
          found[clues.indexOf(clue)] = await look(scope, [clue], most)
        }),
      )
  }
  await scope.attempt(0.5, async () => {
    await lookUpEach(requiredClues(clues))
    const enough =
      scope.population < tuning.LARGE_POPULATION ? tuning.ENOUGH_OF_WORD : tuning.ENOUGH_OF_WORD_AMONG_MANY
    const isFound = (key: string) =>
      (found[clues.findIndex(clue => clue.kind === 'word' && clue.key === key)]?.records ?? 0) >= enough
    await lookUpEach(clues.filter(clue => isFurther(clue) && !isNeedless(clue, isFound)))
  })
  return found
}

/** Words that only begin alike are not needed for words that enough records contain. */
function isNeedless(clue: Clue, isFound: (key: string) => boolean): boolean {
  return clue.kind === 'word' && clue.further === 'beginning' && (clue.of?.every(isFound) ?? false)
}

/** The share of the visible records that contain each common word, if known. */
async function sharesOf(
  scope: SearchScope,
  clues: readonly Clue[],
  common: readonly CommonWord[],
  most: number,
): Promise<(number | null)[]> {
  const shares: (number | null)[] = clues.map(() => null)
  // How rare a word is matters only if there is another.
  if (clues.filter(({ stop }) => !stop).length > 1)
    await scope.attempt(0.3, async () => {
      for (let i = 0; i < common.length; i += CLUES_AT_ONCE) {
        const some = common.slice(i, i + CLUES_AT_ONCE)
        await allEnded(
          some.map(async ({ clue, rows }) => {
            shares[clues.indexOf(clue)] = await shareByReach(scope, rows, most)
          }),
        )
      }
    })
  return shares
}

interface CommonRows {
  rows: readonly number[]
  /** What the last lookup of several words found. */
  together: KnownRows | null
}

/** The newest rows that contain all words, if more do than are examined: no other row can come before them. */
async function allHolding(
  scope: SearchScope,
  required: readonly Clue[],
  common: readonly CommonWord[],
): Promise<CommonRows | null> {
  if (!required.every(clue => common.some(each => each.clue === clue))) return null
  let found: CommonRows | null = null
  await scope.attempt(0.5, async () => {
    const together = { ...(await findPostings(scope, required, tuning.MOST_RECORDS)), clues: required }
    if (together.capped) found = { rows: together.rows, together }
  })
  return found
}

/**
 * The newest rows of each common word, and the rows that contain several: words are added until there are not too many
 * rows.
 */
async function commonRows(
  scope: SearchScope,
  common: readonly CommonWord[],
  most: number,
): Promise<CommonRows> {
  const [only] = common
  if (!only || common.length === 1)
    return { rows: only?.rows ?? [], together: only ? { ...only, clues: [only.clue] } : null }
  // Of two words, the one whose newest rows reach further back is the rarer.
  const reach = ({ rows }: Postings) => scope.order.positionOf(rows[most - 1] ?? 0)
  const clues = common.toSorted((a, b) => reach(a) - reach(b)).map(({ clue }) => clue)
  const holding: number[] = []
  let together: KnownRows | null = null
  await scope.attempt(0.5, async () => {
    for (let count = 2; count <= clues.length; count++) {
      const some = clues.slice(0, count)
      const found = await findPostings(scope, some, tuning.MOST_RECORDS)
      holding.push(...found.rows)
      together = { ...found, clues: some }
      if (!found.capped) break
    }
  })
  return { rows: [...holding.reverse(), ...newestRowsOf(common)], together }
}

/**
 * Rows whose titles contain every required word: the best matches, however old. If one of the words is rare, its rows
 * are candidates already.
 */
async function commonTitles(
  scope: SearchScope,
  required: readonly Clue[],
  common: readonly CommonWord[],
): Promise<readonly number[]> {
  const areCommon = required.every(clue => common.some(each => each.clue === clue))
  let titled: readonly number[] = []
  if (areCommon && required.length > 0 && required.length <= tuning.MOST_TITLE_WORDS)
    await scope.attempt(0.3, async () => {
      titled = await titledRows(scope, required, tuning.FEW_ROWS)
    })
  return titled
}

/**
 * Records that describe a person whom the query names, such as contacts. Names are often common words, and a contact is
 * rarely among the newest records that contain them.
 */
async function cardsOf(scope: SearchScope, clues: readonly Clue[]): Promise<readonly number[]> {
  const asked = askedPerson(clues)
  const cards = new Set(scope.sources.flatMap(({ isCard, key }) => (isCard ? [key] : [])))
  if (!asked || cards.size === 0) return []
  const names = clues.filter(clue => clue.kind === 'word' && asked.names.includes(clue.key))
  const groups = scope.groups.filter(({ sources }) => !cards.isDisjointFrom(sources))
  let rows: readonly number[] = []
  await scope.attempt(0.3, async () => {
    rows = await titledRows(scope, names, tuning.FEW_CARDS, groups)
  })
  return rows
}

/** Rows with most of the words first, among the newest of each word; then the newest of each word in turn. */
function newestRowsOf(common: readonly Postings[]): number[] {
  const words = new Map<number, number>()
  const longest = Math.max(...common.map(({ rows }) => rows.length))
  for (let i = 0; i < longest; i++)
    for (const { rows } of common) {
      const id = rows[i]
      if (id !== undefined) words.set(id, (words.get(id) ?? 0) + 1)
    }
  const shared = [...words.keys()].sort((a, b) => (words.get(b) ?? 0) - (words.get(a) ?? 0))
  return shared.slice(0, Math.min(tuning.MOST_NEWEST_ROWS, tuning.FEW_ROWS * common.length))
}
