import type { MatchCount } from '../../api/search.ts'
import type { Source } from '../../model/access/enforce.ts'
import type { ConversationDeclaration } from '../../model/declaration/declaration.ts'
import type { SelectedSource } from '../../model/reading/filter.ts'
import type { Vector } from '../../model/search/meaning.ts'
import type { Correction } from '../../model/search/misspelt-words.ts'
import { askedPerson } from '../../model/search/person-details.ts'
import type { AskedTime } from '../../model/search/query-dates.ts'
import { canLoosen, phrasesAsWords } from '../../model/search/quoted-words.ts'
import type { SearchQuery } from '../../model/search/search-query.ts'
import { HITS_WITH_MOST_ROWS, MOST_WINDOW_ROWS } from '../../model/search/tuning.ts'
import type { TimeBounds } from '../../model/time-bounds.ts'
import type { Budget } from '../budget/budget.ts'
import type { View } from '../engine/database.ts'
import type { TimePosition } from '../records/by-time.ts'
import { findByTime, type TimeOrder } from './by-time.ts'
import { withoutExcluded } from './finding/exclusion.ts'
import type { Found } from './finding/finder.ts'
import { countMatching } from './finding/holders.ts'
import { type NamedSources, sourcesNamed, withNamedSources } from './finding/named-sources.ts'
import { correctedQuery } from './finding/spelling.ts'
import { findByTexts } from './finding/text-finder.ts'
import { findByWords } from './finding/word-finder.ts'
import { type FoundHit, proveHits, type RowToProve } from './hits.ts'
import { vectorsMade } from './meaning/vectors.ts'
import type { ProofOptions } from './proof.ts'
import { cardRanker } from './ranking/card-ranker.ts'
import { closenessRanker } from './ranking/closeness-ranker.ts'
import { clueRarities } from './ranking/clue-rarity.ts'
import { dateRanker, withTimesAsReasons } from './ranking/date-ranker.ts'
import { meaningRanker } from './ranking/meaning-ranker.ts'
import { neighbourRanker } from './ranking/neighbour-ranker.ts'
import { passageRanker } from './ranking/passage-ranker.ts'
import { MeaningOfQuery, rankBy } from './ranking/ranker.ts'
import { allWordsRanker, areAllMeant, authorRanker, bm25Ranker, titleRanker } from './ranking/word-rankers.ts'
import { MatchedRows, type RowPlace } from './search-rows.ts'
import { SearchScope } from './search-scope.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'
import { decidingPlaces, furtherInTalk, varied } from './variety.ts'

export interface SearchArgs extends ProofOptions {
  owner_id: string
  selected: readonly SelectedSource[]
  /** The conversations of each source; null unless all fields that define them may be seen. */
  conversations: readonly (ConversationDeclaration | null)[]
  query: SearchQuery
  /** Everything that may be seen, regardless of filter and time: only a word that none of it contains is misspelt. */
  readable: readonly Source[]
  /** The times that the query names. */
  times: readonly AskedTime[]
  /** The meaning of the query, if a model provides it. */
  meaning: Vector | null
  bounds: TimeBounds
  /** What the first page saw, so that later pages rank the same records in the same way. */
  snapshot: Snapshot | null
  /** By time instead of rank. */
  by_time: TimeOrder | null
  skip: number
  limit: number
  /** Whether one conversation must not fill a page. */
  varied: boolean
}

export interface SearchPage {
  hits: FoundHit[]
  more: boolean
  snapshot: Snapshot
  /** Whether matching records may have been left out. */
  truncated: boolean
  counted: MatchCount
  /** Known words that were searched for in place of misspelt ones. */
  corrections: Correction[]
  /** The share of the ranked records that were compared by meaning; null if meaning was not used. */
  compared: number | null
  /** Where a page by time ends; that may be after its last hit, if the filter may not read any more records. */
  last: TimePosition | null
}

/** Each ranker re-ranks the best records of the previous one. */
const RANKERS = [
  bm25Ranker,
  neighbourRanker,
  passageRanker,
  titleRanker,
  authorRanker,
  dateRanker,
  allWordsRanker,
  closenessRanker,
  meaningRanker,
  cardRanker,
]

/** One page of hits; a query whose phrases are not found is repeated with their words. */
export async function searchRecords(database: View, asked: SearchArgs, budget: Budget): Promise<SearchPage> {
  const args = { ...asked, query: knownNames(asked) }
  const { snapshot, owner_id, selected } = args
  const populationOf = async ({ clues }: SearchQuery) =>
    (await takeSnapshot(database, owner_id, selected, clues)).population
  const first = snapshot ?? (await firstSnapshot(database, args))
  const matched = new MatchedRows(owner_id)
  // Nearly always, records contain the words of the query, which is known when they are found.
  const written = mustBeSpelled(args)
    ? null
    : await searchOnce(database, { ...args, snapshot: first, matched }, budget)
  if (written) return { ...written, corrections: [] }
  const { below } = first
  const { query, corrections } = await correctedQuery(
    database,
    { ...args, below, matched },
    args.query,
    budget,
  )
  const search = async (query: SearchQuery, snapshot: Snapshot) => {
    const corrected = { ...args, query: { ...query, spelled: [] }, snapshot, matched }
    return { ...((await searchOnce(database, corrected, budget)) as OnePage), corrections }
  }
  const looser = phrasesAsWords(query)
  if (snapshot) return search(snapshot.as_words ? looser : query, snapshot)
  const population = corrections.length > 0 ? await populationOf(query) : first.population
  const page = await search(query, { ...first, population })
  if (page.hits.length > 0 || page.more || !canLoosen(query)) return page
  return search(looser, { ...first, population: await populationOf(looser), as_words: true })
}

async function firstSnapshot(
  database: View,
  { owner_id, selected, query, meaning }: SearchArgs,
): Promise<Snapshot> {
  const { changes, ...snapshot } = await takeSnapshot(database, owner_id, selected, query.clues)
  if (!meaning) return snapshot
  const sources = selected.map(({ source }) => source)
  return { ...snapshot, vectors: await vectorsMade(database, owner_id, sources, changes) }
}

/** The query with names of sources and details of persons counted as known words, although no record may contain them. */
function knownNames(args: SearchArgs): SearchQuery {
  const asked = askedPerson(args.query.clues)
  const names = new Set([...namedIn(args).flatMap(({ keys }) => keys), ...(asked?.details ?? [])])
  return { ...args.query, spelled: args.query.spelled.filter(({ key }) => !names.has(key)) }
}

function namedIn({ query, selected }: SearchArgs): NamedSources[] {
  if (query.without.includes('sources')) return []
  return sourcesNamed(
    query.clues,
    selected.map(({ source }) => source),
  )
}

/** Whether finding cannot tell which words exist, so that misspelt ones must be detected first. */
function mustBeSpelled({ by_time, query }: SearchArgs): boolean {
  return by_time !== null || query.clues.some(({ kind }) => kind !== 'word')
}

type OnePage = Omit<SearchPage, 'corrections'>

/** Determines what may be searched, finds and ranks the matches, and verifies them. Null if a word may be misspelt. */
async function searchOnce(
  database: View,
  args: SearchArgs & { snapshot: Snapshot; matched: MatchedRows },
  budget: Budget,
): Promise<OnePage | null> {
  const { query, snapshot, by_time, limit } = args
  const { below, population } = snapshot
  const scope = await SearchScope.open({ ...args, database, budget, below, population })
  const { vectors } = snapshot
  const meaning = args.meaning && vectors && new MeaningOfQuery(args.meaning, vectors)
  let hits: FoundHit[] = []
  // If there is nothing to search, spelling is decided by what may be read.
  let isUnknown = scope.groups.length === 0 && query.spelled.length > 0
  const rows: RowToProve[] = []
  let cut: TimePosition | null = null
  let found: Found | null = null
  let rarities: readonly number[] | null = null
  if (scope.groups.length > 0 && query.clues.length > 0)
    await scope.attempt(0.9, async () => {
      if (by_time)
        await scope.attempt(0.8, async () => {
          cut = await findByTime(scope, query, { ...by_time, limit }, rows)
        })
      else {
        const find = query.clues.some(({ kind }) => kind !== 'word') ? findByTexts : findByWords
        found = await find(scope, {
          ...query,
          areAllMeant: !args.query.without.includes('all_words') && areAllMeant(args.query, args.times),
        })
        isUnknown = holdsNone(query, found)
        if (isUnknown) return
        const best = await bestRows(scope, args, found, meaning)
        rarities = best.rarities
        rows.push(...best.rows)
      }
      hits = await proveHits(scope, rows.slice(0, limit), args, rarities)
    })
  if (isUnknown) return null
  const counted = await countMatching(scope, query, { timedOnly: by_time !== null, found })
  const last = rows.slice(0, limit).at(-1)
  return {
    hits,
    more: rows.length > limit || cut !== null,
    snapshot,
    truncated: scope.isTruncated,
    counted,
    compared: meaning?.share ?? null,
    last: cut ?? (last ? positionOf(last) : null),
  }
}

/** Whether no searched record contains some word that may be misspelt. */
function holdsNone({ spelled, clues }: SearchQuery, { records }: Found): boolean {
  const keys = new Set(spelled.map(({ key }) => key))
  return clues.some((clue, i) => clue.kind === 'word' && keys.has(clue.key) && records[i] === 0)
}

/** The rows of a page by rank; one more means that there are more. */
async function bestRows(
  scope: SearchScope,
  args: SearchArgs & { snapshot: Snapshot },
  found: Found,
  meaning: MeaningOfQuery | null,
): Promise<{ rows: RowToProve[]; rarities: readonly number[] }> {
  const { query, times, skip, limit } = args
  const { clues, excluded, without } = query
  const remaining = await withoutExcluded(scope, found.candidates, excluded)
  const weighed = withTimesAsReasons(clues, remaining, scope, times)
  const rarities = clueRarities(weighed, remaining, found, args.snapshot.population)
  const candidates = withNamedSources(scope, clues, remaining, namedIn(args))
  const [from, to] = args.varied ? decidingPlaces(skip, limit) : [skip, skip + limit + 1]
  const wanted = meaning ? Number.POSITIVE_INFINITY : to
  const context = { scope, query, clues, rarities, times, meaning, wanted }
  const ranked = await rankBy(RANKERS, candidates, context, [from, to])
  const ordered = args.varied ? await varied(scope, ranked) : ranked.map(record => ({ record, talk: null }))
  const page = ordered.slice(skip - from, skip - from + limit + 1)
  const further = furtherInTalk(page.slice(0, limit), ordered.slice(skip - from + limit))
  const isSpread = !without.includes('spread_windows')
  const rows = page.map(({ record: { candidate, rows, reasons } }, i) => ({
    ...candidate.row,
    reasons,
    rows: isSpread ? rows.slice(0, windowRowsOf(skip + i)) : [candidate.row],
    further: further[i] ?? 0,
  }))
  return { rows, rarities }
}

/** From how many rows the windows of a hit are chosen: by its place among all hits, whatever page it is on. */
function windowRowsOf(place: number): number {
  return place < HITS_WITH_MOST_ROWS ? MOST_WINDOW_ROWS.first : MOST_WINDOW_ROWS.other
}

function positionOf({ time_key, record_key, connection_id, stream }: RowPlace): TimePosition {
  return { time_key: time_key ?? '', record_key, connection_id, stream }
}
