import type { Clue } from '../model/search-query.ts'
import { demands, type Opening, type RowPlace, type SearchScope } from './search-scope.ts'
import type { TokenExpression } from './token-index.ts'

/** Postings of a single word are capped at this many records; the newest are kept. */
export const MOST_RECORDS = 1_000
/** Few enough to look at each, whoever they belong to. */
const A_FEW = 500
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
      const few = await this.#few(opening, clues)
      if (few) {
        for (const { row_id, row_no } of few) if (row_no === 0) first.add(row_id)
        for (const row of someOfEach(few)) later.set(row.row_id, firstRow(row))
        continue
      }
      for (const row_id of await this.#newest(opening, clues, most + 1)) first.add(row_id)
      for (const row of await this.#later(opening, clues)) later.set(row.row_id, firstRow(row))
    }
    const newest = [...first].sort((a, b) => b - a)
    const capped = newest.length > most
    const kept = newest.slice(0, most)
    const records = new Set([...kept, ...later.values()]).size
    return { rows: [...kept, ...later.keys()], records, capped }
  }

  /** Every visible row that matches, when they are few in all the index; null when they are not. */
  async #few(opening: Opening, clues: readonly Clue[]): Promise<RowPlace[] | null> {
    const words: TokenExpression = { all: clues.flatMap(clue => demands(clue, opening.codes)) }
    const ids = await this.#scope.database.tokens.match(words, { below: this.#below }, A_FEW)
    if (ids.length === A_FEW) return null
    const rows = (await this.#scope.rows(ids)).filter(row => this.#scope.shows(opening, row))
    return this.#accept ? [...(await this.#accept(rows))] : rows
  }

  /** The newest visible first rows of records, at most `most`. */
  async #newest(opening: Opening, clues: readonly Clue[], most: number): Promise<number[]> {
    const scope: TokenExpression = { any: opening.scopes.first.map(word => ({ word })) }
    const expression = { all: [scope, ...clues.flatMap(clue => demands(clue, opening.codes))] }
    const { times, unsure } = opening
    let below = this.#below
    let tried = 0
    const found: number[] = []
    for (
      let size = most;
      found.length < most && tried < MOST_TRIED;
      size = Math.min(MOST_AT_ONCE, size * 2)
    ) {
      const ids = await this.#scope.database.tokens.match(expression, { below, times }, size)
      const shown = unsure || this.#accept ? await this.#shown(opening, ids) : null
      const accepted = shown && this.#accept ? await this.#accept(shown) : shown
      const visible = accepted ? accepted.map(place => place.row_id).sort((a, b) => b - a) : ids
      for (const row_id of visible) found.push(row_id)
      if (this.#accept) tried += shown?.length ?? 0
      const last = ids.at(-1)
      if (last === undefined || ids.length < size) break
      below = last
    }
    return found.slice(0, most)
  }

  async #shown(opening: Opening, ids: readonly number[]): Promise<RowPlace[]> {
    return (await this.#scope.places(ids)).filter(place => this.#scope.shows(opening, place))
  }

  /** Later rows of long records. */
  async #later(opening: Opening, clues: readonly Clue[]): Promise<RowPlace[]> {
    const words = clues.flatMap(clue => demands(clue, opening.codes))
    const expression = { all: [{ any: opening.scopes.later.map(word => ({ word })) }, ...words] }
    let found: RowPlace[] = []
    let below = this.#below
    for (
      let size = MOST_LATER_ROWS_OF_RECORD;
      found.length < MOST_LATER_ROWS;
      size = Math.min(MOST_AT_ONCE, size * 2)
    ) {
      const ids = await this.#scope.database.tokens.match(expression, { below, times: opening.times }, size)
      const places = await this.#scope.places(ids)
      const shown = places.filter(place => this.#scope.shows(opening, place))
      found = someOfEach([...found, ...(this.#accept ? await this.#accept(shown) : shown)])
      const last = places.find(place => place.row_id === ids.at(-1))
      if (!last || ids.length < size) break
      // The rows of a record stand together: when there were enough of the last one, the rest is passed over.
      const enough = ids.filter(row_id => row_id >= firstRow(last)).length >= MOST_LATER_ROWS_OF_RECORD
      below = enough ? firstRow(last) : last.row_id
    }
    return found
  }
}

function firstRow({ row_id, row_no }: RowPlace): number {
  return row_id - row_no
}

/** The newest later rows, not too many of any record, so that one long text does not crowd out the others. */
function someOfEach(rows: readonly RowPlace[]): RowPlace[] {
  const counts = new Map<number, number>()
  const later = rows.filter(row => row.row_no > 0).sort((a, b) => b.row_id - a.row_id)
  const kept = later.filter(row => {
    const count = (counts.get(firstRow(row)) ?? 0) + 1
    counts.set(firstRow(row), count)
    return count <= MOST_LATER_ROWS_OF_RECORD
  })
  return kept.slice(0, MOST_LATER_ROWS)
}
