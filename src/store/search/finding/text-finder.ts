import { type Clue, requiredClues } from '../../../model/search/search-query.ts'
import * as tuning from '../../../model/search/tuning.ts'
import type { SearchScope } from '../search-scope.ts'
import { countInTexts, holdsAll, type LoadedTexts, loadTexts } from './clue-counts.ts'
import type { Candidate, Finder } from './finder.ts'
import { findPostings, newestRows } from './postings.ts'

/**
 * For queries with phrases or prefixes: the index proposes rows, and the texts decide. A row must contain all phrases;
 * without phrases any clue is enough.
 */
export const findByTexts: Finder = async (scope, { clues }) => {
  const phrases = clues.filter(clue => clue.kind === 'phrase')
  const groups = phrases.length > 0 ? [phrases] : requiredClues(clues).map(clue => [clue])
  const texts = new ReadTexts(scope, clues, groups)
  await scope.attempt(0.5, async () => {
    const prefixed = groups.some(group => group[0]?.kind === 'prefix')
    const { budget } = scope
    const newest = prefixed
      ? await budget.share('rows', 1 / (groups.length + 1), () => newestRows(scope, tuning.MOST_TEXTS))
      : []
    for (const [i, group] of groups.entries()) {
      // A common prefix is found in the newest texts, without collecting all of its words from the index.
      const tooFew = (read: number, holding: number) =>
        holding * tuning.MOST_TEXTS < read * tuning.ENOUGH_TEXTS
      const near = group[0]?.kind === 'prefix' ? newest : []
      const { holding, share } = await texts.read(near, group, tooFew)
      if (holding >= tuning.ENOUGH_TEXTS) continue
      const common = near.length > 0 && share >= tuning.RARE_PREFIX_SHARE
      const { rows, capped } = await budget.share('rows', 1 / (groups.length - i), () =>
        findPostings(scope, group, common ? tuning.MOST_RECORDS : tuning.MOST_TEXTS),
      )
      if (capped) scope.isTruncated = true
      await texts.read(rows, group)
    }
  })
  const unknown = clues.map(() => null)
  const { found: candidates } = texts
  const counts = { records: unknown, matching: null, holding: null, rarest: null, shares: unknown }
  return { candidates, ...counts, newestOf: new Map(), most: tuning.MOST_RECORDS }
}

/** The texts that were read for a query. Each is read once, and every clue is counted in it. */
class ReadTexts {
  readonly #scope: SearchScope
  readonly #clues: readonly Clue[]
  readonly #groups: readonly (readonly Clue[])[]
  /** Null for a row that contains no group. */
  readonly #read = new Map<number, Candidate | null>()

  constructor(scope: SearchScope, clues: readonly Clue[], groups: readonly (readonly Clue[])[]) {
    this.#scope = scope
    this.#clues = clues
    this.#groups = groups
  }

  get found(): Candidate[] {
    return [...this.#read.values()].filter(candidate => candidate !== null)
  }

  /** Reads texts until enough of them contain the group, or until `stop` says that it is not worthwhile. */
  async read(
    rows: readonly number[],
    group: readonly Clue[],
    stop: ((texts: number, holding: number) => boolean) | null = null,
  ): Promise<{ holding: number; share: number }> {
    let [holding, i] = [0, 0]
    let ahead: Promise<LoadedTexts> | null = null
    try {
      for (
        ;
        i < rows.length && holding < tuning.ENOUGH_TEXTS && !stop?.(i, holding);
        i += tuning.TEXTS_AT_ONCE
      ) {
        const part = rows.slice(i, i + tuning.TEXTS_AT_ONCE)
        const texts = await (ahead ?? this.#load(part))
        const next = rows.slice(i + tuning.TEXTS_AT_ONCE, i + 2 * tuning.TEXTS_AT_ONCE)
        // A server reads the next texts while these are checked. Near the end they may not be needed.
        ahead =
          stop === null && 2 * holding < tuning.ENOUGH_TEXTS && next.length > 0 ? this.#load(next) : null
        ahead?.catch(() => {})
        await this.#count(part, texts)
        for (const row_id of part) {
          const candidate = this.#read.get(row_id)
          if (candidate && holdsAll(candidate, this.#clues, group)) holding++
        }
      }
    } finally {
      await ahead?.catch(() => {})
    }
    if (i < rows.length && holding >= tuning.ENOUGH_TEXTS) this.#scope.isTruncated = true
    return { holding, share: holding / Math.max(1, Math.min(i, rows.length)) }
  }

  #load(row_ids: readonly number[]): Promise<LoadedTexts> {
    return loadTexts(
      this.#scope,
      row_ids.filter(row_id => !this.#read.has(row_id)),
    )
  }

  async #count(row_ids: readonly number[], texts: LoadedTexts): Promise<void> {
    for await (const candidate of countInTexts(this.#scope, texts, this.#clues, this.#groups))
      this.#read.set(candidate.row.row_id, candidate)
    for (const row_id of row_ids) if (!this.#read.has(row_id)) this.#read.set(row_id, null)
  }
}
