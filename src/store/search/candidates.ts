import type { Clue } from '../../model/search/search-query.ts'
import { type Candidate, countInTexts, countWords } from './evidence.ts'
import { MOST_RECORDS, type PostingFinder, type Postings } from './postings.ts'
import type { SearchScope } from './scope.ts'

/** Rarer words bring candidates until there are this many. */
const ENOUGH = 2_000
/** With fewer, records that hold several of the common words are looked at too. */
const TOO_FEW = 200
/** Texts that are read to find phrases and beginnings of words, and how many found are enough. */
const MOST_TEXTS = 1_500
const TEXTS_AT_ONCE = 200
const ENOUGH_TEXTS = 300
/** A beginning of words that fewer of the newest texts hold is rare; of others not so many rows are gathered. */
const RARE_SHARE = 0.02

export interface Candidates {
  candidates: Candidate[]
  /** Visible records that hold each clue; null where they were not all counted. */
  records: (number | null)[]
  /** Rows that are here only as the newest of one common word, with that clue's index. */
  newestOf: ReadonlyMap<number, number>
}

/** The rows that can be the best ones for a query, with their counts. */
export function findCandidates(
  scope: SearchScope,
  finder: PostingFinder,
  clues: readonly Clue[],
): Promise<Candidates> {
  const byText = clues.some(clue => clue.kind !== 'word')
  return byText ? textCandidates(scope, finder, clues) : wordCandidates(scope, finder, clues)
}

/** Candidates come from the query's rarer words; common words lead only where there is nothing rarer. */
async function wordCandidates(
  scope: SearchScope,
  finder: PostingFinder,
  clues: readonly Clue[],
): Promise<Candidates> {
  const records: (number | null)[] = clues.map(() => null)
  const [rare, common]: [Postings[], (Postings & { clue: Clue })[]] = [[], []]
  // Among several words, a common one leads by its newest records only; alone it leads by long texts too.
  const alone = clues.filter(clue => !clue.stop).length === 1
  const look = (clue: Clue) =>
    alone ? finder.find([clue], MOST_RECORDS) : finder.findFew([clue], MOST_RECORDS)
  const found = await Promise.all(clues.map(clue => (clue.stop ? null : look(clue))))
  for (const [index, clue] of clues.entries()) {
    const postings = found[index]
    if (!postings) continue
    if (postings.capped) common.push({ ...postings, clue })
    else {
      rare.push(postings)
      records[index] = postings.records
    }
  }
  const ids = new Set<number>()
  for (const { rows } of rare.sort((a, b) => a.rows.length - b.rows.length)) {
    if (ids.size >= ENOUGH) break
    for (const id of rows) ids.add(id)
  }
  const newestOf = new Map<number, number>()
  if (ids.size < TOO_FEW) {
    for (const { clue, rows } of common) {
      for (const id of rows.slice(0, TOO_FEW)) if (!ids.has(id)) newestOf.set(id, clues.indexOf(clue))
    }
    for (const id of await commonRows(finder, common)) ids.add(id)
  }
  return { candidates: await countWords(scope, [...ids], clues), records, newestOf }
}

/** Rows that hold as many of the common words as leaves not too many, the rarer ones first; and the newest of each. */
async function commonRows(
  finder: PostingFinder,
  common: (Postings & { clue: Clue })[],
): Promise<Iterable<number>> {
  const [only] = common
  if (!only || common.length === 1) return only?.rows ?? []
  const ids = new Set(common.flatMap(({ rows }) => rows.slice(0, TOO_FEW)))
  // Of two words, the one whose newest rows reach further back is the rarer.
  const reach = ({ rows }: Postings) => rows[MOST_RECORDS - 1] ?? 0
  const clues = common.toSorted((a, b) => reach(a) - reach(b)).map(({ clue }) => clue)
  for (let count = 2; count <= clues.length; count++) {
    const { rows, capped } = await finder.find(clues.slice(0, count), MOST_RECORDS)
    for (const id of rows) ids.add(id)
    if (!capped) break
  }
  return ids
}

/** Phrases must all be there; without phrases any clue leads to candidates. The texts themselves decide. */
async function textCandidates(
  scope: SearchScope,
  finder: PostingFinder,
  clues: readonly Clue[],
): Promise<Candidates> {
  const phrases = clues.filter(clue => clue.kind === 'phrase')
  const groups = phrases.length > 0 ? [phrases] : clues.filter(clue => !clue.stop).map(clue => [clue])
  const found = new Map<number, Candidate>()
  /** Reads texts until enough hold the group, or until `stop` says that there is no use in it. */
  const read = async (
    rows: readonly number[],
    group: readonly Clue[],
    stop = (_: number, __: number) => false,
  ) => {
    let enough = 0
    let i = 0
    for (; i < rows.length && enough < ENOUGH_TEXTS && !stop(i, enough); i += TEXTS_AT_ONCE) {
      const part = rows.slice(i, i + TEXTS_AT_ONCE).filter(id => !found.has(id))
      for (const candidate of await countInTexts(scope, part, clues, group)) {
        found.set(candidate.row.row_id, candidate)
        enough++
      }
    }
    return { enough, share: enough / Math.max(1, Math.min(i, rows.length)) }
  }
  for (const group of groups) {
    // Where a beginning of words is so common that the newest texts are enough, the index need not gather them all.
    const tooFew = (texts: number, enough: number) => enough * MOST_TEXTS < texts * ENOUGH_TEXTS
    const newest = group[0]?.kind === 'prefix' ? await finder.newest(MOST_TEXTS) : []
    const { enough, share } = await read(newest, group, tooFew)
    if (enough >= ENOUGH_TEXTS) continue
    const common = newest.length > 0 && share >= RARE_SHARE
    const { rows } = await finder.find(group, common ? MOST_RECORDS : MOST_TEXTS)
    await read(rows, group)
  }
  return { candidates: [...found.values()], records: clues.map(() => null), newestOf: new Map() }
}
