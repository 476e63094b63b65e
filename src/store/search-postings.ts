import type { Clue } from '../model/search-query.ts'
import { demands } from './search-demands.ts'
import type { Opening, RowNumber, RowPlace, SearchScope } from './search-scope.ts'
import type { TokenExpression } from './token-index.ts'

/** Postings of a single word are capped at this many records; the newest are kept. */
export const MOST_RECORDS = 600
/** Few enough to look at each, whoever they belong to. */
const A_FEW = 700
/** More rows than needed, of which some are hidden. */
const MOSTLY = 1.15
const MOST_LATER_ROWS = 500
const MOST_LATER_ROWS_OF_RECORD = 64
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
    const [first, later] = [new Set<number>(), new Map<number, number>()]
    for (const opening of this.#scope.openings) {
      const found = await this.#findThrough(opening, clues, most)
      for (const row_id of found.first) first.add(row_id)
      for (const row of found.later) later.set(row.row_id, firstRow(row))
    }
    const newest = [...first].sort((a, b) => b - a)
    const kept = newest.slice(0, most)
    const records = new Set([...kept, ...later.values()]).size
    return { rows: [...kept, ...later.keys()], records, capped: newest.length > most }
  }

  async #findThrough(
    opening: Opening,
    clues: readonly Clue[],
    most: number,
  ): Promise<{ first: readonly number[]; later: readonly RowNumber[] }> {
    const words = { all: clues.flatMap(clue => demands(clue, opening.codes)) }
    const ids = await this.#scope.database.tokens.match(words, { below: this.#below }, A_FEW)
    if (ids.length < A_FEW) {
      // They are the likeliest candidates, so their counts are read at once.
      const shown = (await this.#scope.rows(ids)).filter(row => this.#scope.shows(opening, row))
      const rows = this.#accept ? await this.#accept(shown) : shown
      return { first: rows.filter(row => row.row_no === 0).map(row => row.row_id), later: someOfEach(rows) }
    }
    // Where nearly all may be seen, this is enough; the index is asked for the scope only where it is narrow.
    const newest = await this.#shown(opening, ids.slice(0, Math.ceil(most * MOSTLY)))
    const first = newest.filter(row => row.row_no === 0).map(row => row.row_id)
    return {
      first: first.length > most ? first : await this.#newest(opening, clues, most + 1),
      later: await this.#later(opening, clues),
    }
  }

  /** The newest visible first rows of records, at most `most`. */
  async #newest(opening: Opening, clues: readonly Clue[], most: number): Promise<number[]> {
    const scope: TokenExpression = { any: opening.scopes.first.map(word => ({ word })) }
    const expression = { all: [scope, ...clues.flatMap(clue => demands(clue, opening.codes))] }
    const { times, unsure } = opening
    const found: number[] = []
    let below = this.#below
    let tried = 0
    for (let size = most; found.length < most && tried < MOST_TRIED; ) {
      const ids = await this.#scope.database.tokens.match(expression, { below, times }, size)
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
  async #shown(opening: Opening, ids: readonly number[]): Promise<readonly RowNumber[]> {
    if (!opening.unsure && !this.#accept) return this.#scope.within(opening, ids)
    const shown = await this.#places(opening, ids)
    return newestFirst(this.#accept ? await this.#accept(shown) : shown)
  }

  async #places(opening: Opening, ids: readonly number[]): Promise<RowPlace[]> {
    return (await this.#scope.places(ids)).filter(place => this.#scope.shows(opening, place))
  }

  /** Later rows of long records. */
  async #later(opening: Opening, clues: readonly Clue[]): Promise<RowNumber[]> {
    const words = clues.flatMap(clue => demands(clue, opening.codes))
    const expression = { all: [{ any: opening.scopes.later.map(word => ({ word })) }, ...words] }
    let found: RowNumber[] = []
    let below = this.#below
    for (let size = MOST_LATER_ROWS_OF_RECORD; found.length < MOST_LATER_ROWS; ) {
      const range = { below, times: opening.times, sparse: true }
      const ids = await this.#scope.database.tokens.match(expression, range, size)
      found = someOfEach([...found, ...(await this.#shown(opening, ids))])
      const [last] = await this.#scope.places(ids.slice(-1))
      if (!last || ids.length < size) break
      // The rows of a record stand together: when there were enough of the last one, the rest is passed over.
      const enough = ids.filter(row_id => row_id >= firstRow(last)).length >= MOST_LATER_ROWS_OF_RECORD
      below = enough ? firstRow(last) : last.row_id
      size = Math.min(MOST_AT_ONCE, size * 2)
    }
    return found
  }
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
