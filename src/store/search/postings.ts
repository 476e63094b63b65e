import type { Clue } from '../../model/search/search-query.ts'
import type { WordExpression } from '../engine/word-index.ts'
import { demands } from './clue-words.ts'
import type { Opening, RowNumber, RowPlace, SearchScope } from './scope.ts'

/** Postings of a single word are capped at this many records; the newest are kept. */
export const MOST_RECORDS = 600
/** Few enough to look at each, whoever they belong to. */
const A_FEW = 700
/** More rows than needed, of which some are hidden. */
const MOSTLY = 1.15
const MOST_LATER_ROWS = 500
const MOST_LATER_ROWS_OF_RECORD = 32
const MOST_AT_ONCE = 20_000
/** Rows that are looked at one by one because a filter decides. */
const MOST_TRIED = 20_000

export interface Postings {
  /** Visible rows that match, the first rows of their records before the later ones. */
  rows: number[]
  /** Records among them. */
  records: number
  capped: boolean
}

/** Which rows pass what the index cannot tell. */
export type Accept = (places: readonly RowPlace[]) => Promise<readonly RowPlace[]>

/** Finds the newest rows of a scope that hold words, in fields that may be seen in those very rows. */
export class PostingFinder {
  readonly #scope: SearchScope
  readonly #below: number
  readonly #accept: Accept | null

  constructor(scope: SearchScope, below: number, accept: Accept | null) {
    this.#scope = scope
    this.#below = below
    this.#accept = accept
  }

  /** The rows that hold all of the clues, of at most `most` records. */
  async find(clues: readonly Clue[], most: number): Promise<Postings> {
    const [first, later] = await Promise.all([this.#findFirst(clues, most), this.#findLater(clues)])
    return postings(first, later, most)
  }

  /** The same, but later rows only where the first ones are not too many already. */
  async findFew(clues: readonly Clue[], most: number): Promise<Postings> {
    const first = await this.#findFirst(clues, most)
    return postings(first, first.length > most ? [] : await this.#findLater(clues), most)
  }

  /** The newest first rows of records, whatever they hold. */
  async newest(most: number): Promise<number[]> {
    const { openings } = this.#scope
    const found = await Promise.all(openings.map(opening => this.#newest(opening, [], most)))
    return [...new Set(found.flat())].sort((a, b) => b - a).slice(0, most)
  }

  async #findFirst(clues: readonly Clue[], most: number): Promise<number[]> {
    const { openings } = this.#scope
    const found = await Promise.all(openings.map(opening => this.#first(opening, clues, most)))
    return [...new Set(found.flat())].sort((a, b) => b - a)
  }

  /** The newest visible first rows of records; more than `most` where there are more. */
  async #first(opening: Opening, clues: readonly Clue[], most: number): Promise<readonly number[]> {
    const words = { all: clues.flatMap(clue => demands(clue, opening.codes)) }
    const wanted = Math.max(A_FEW, Math.ceil(most * MOSTLY))
    const ids = await this.#scope.database.words.match(words, { below: this.#below }, wanted)
    if (ids.length < A_FEW) {
      // They are the likeliest candidates, so their counts are read at once.
      const shown = (await this.#scope.rows(ids)).filter(row => this.#scope.shows(opening, row))
      return (this.#accept ? await this.#accept(shown) : shown).map(row => row.row_id)
    }
    // Where nearly all may be seen, these are enough; the index is asked for the scope only where it is narrow.
    const newest = await this.#shown(opening, ids.slice(0, Math.ceil(most * MOSTLY)))
    return newest.length > most || ids.length < wanted ? newest : this.#newest(opening, clues, most + 1)
  }

  /** The newest visible first rows of records, at most `most`. */
  async #newest(opening: Opening, clues: readonly Clue[], most: number): Promise<number[]> {
    const expression = { all: demandsWithin(opening, clues) }
    const { times, unsure } = opening
    const found: number[] = []
    let below = this.#below
    let tried = 0
    for (let size = most; found.length < most && tried < MOST_TRIED; ) {
      const ids = await this.#scope.database.words.match(expression, { below, times }, size)
      const shown = unsure || this.#accept ? await this.#places(opening, ids) : null
      if (this.#accept) tried += shown?.length ?? 0
      const passing = shown && this.#accept ? await this.#accept(shown) : shown
      for (const row_id of passing ? newestFirst(passing).map(row => row.row_id) : ids) found.push(row_id)
      const last = ids.at(-1)
      if (last === undefined || ids.length < size) break
      below = last
      size = Math.min(MOST_AT_ONCE, size * 2)
    }
    return found.slice(0, most)
  }

  /** Which of the rows may be seen through the opening and pass, newest first. */
  async #shown(opening: Opening, ids: readonly number[]): Promise<number[]> {
    if (!opening.unsure && !this.#accept) return this.#scope.within(opening, ids)
    const shown = await this.#places(opening, ids)
    return newestFirst(this.#accept ? await this.#accept(shown) : shown).map(row => row.row_id)
  }

  async #places(opening: Opening, ids: readonly number[]): Promise<RowPlace[]> {
    return (await this.#scope.places(ids)).filter(place => this.#scope.shows(opening, place))
  }

  /** Later rows of long records that hold all of the clues, by one look for all openings. */
  async #findLater(clues: readonly Clue[]): Promise<RowNumber[]> {
    const { database, openings } = this.#scope
    const expression = { any: openings.map(opening => ({ all: demandsWithin(opening, clues) })) }
    const [only] = openings
    const times = (openings.length === 1 && only?.times) || null
    let found: RowNumber[] = []
    let below = this.#below
    for (let size = MOST_LATER_ROWS_OF_RECORD; found.length < MOST_LATER_ROWS; ) {
      const ids = await database.words.match(expression, { below, times, later: true }, size)
      if (ids.length === 0) break
      const places = newestFirst(await this.#scope.places(ids))
      const shown = places.filter(place => openings.some(opening => this.#scope.shows(opening, place)))
      found = someOfEach([...found, ...(this.#accept ? await this.#accept(shown) : shown)])
      const last = places.at(-1)
      if (!last || ids.length < size) break
      // The rows of a record stand together: when there were enough of the last one, the rest is passed over.
      const enough = ids.filter(row_id => row_id >= firstRow(last)).length >= MOST_LATER_ROWS_OF_RECORD
      below = enough ? firstRow(last) : last.row_id
      size = Math.min(MOST_AT_ONCE, size * 2)
    }
    return found
  }
}

/** What the index must show for the clues inside an opening. */
function demandsWithin({ scopes, codes }: Opening, clues: readonly Clue[]): WordExpression[] {
  return [{ any: scopes.map(word => ({ word })) }, ...clues.flatMap(clue => demands(clue, codes))]
}

function postings(newest: readonly number[], later: readonly RowNumber[], most: number): Postings {
  const first = newest.slice(0, most)
  const records = new Set([...first, ...later.map(firstRow)]).size
  const rows = [...first, ...new Set(later.map(row => row.row_id))]
  return { rows, records, capped: newest.length > most }
}

function newestFirst<Row extends RowNumber>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => b.row_id - a.row_id)
}

function firstRow({ row_id, row_no }: RowNumber): number {
  return row_id - row_no
}

/** The newest later rows, not too many of any record, so that one long text does not crowd out the others. */
function someOfEach(rows: readonly RowNumber[]): RowNumber[] {
  const counts = new Map<number, number>()
  const later = rows.filter(row => row.row_no > 0).sort((a, b) => b.row_id - a.row_id)
  const kept = later.filter(row => {
    const count = (counts.get(firstRow(row)) ?? 0) + 1
    counts.set(firstRow(row), count)
    return count <= MOST_LATER_ROWS_OF_RECORD
  })
  return kept.slice(0, MOST_LATER_ROWS)
}
