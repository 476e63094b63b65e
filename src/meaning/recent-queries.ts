import type { QueryMeaning } from '../model/search/meaning.ts'

const MOST = 500

/** The meaning of the most recent queries, because the pages of a search ask for the same one. */
export class RecentQueries {
  readonly #known = new Map<string, QueryMeaning>()

  get(text: string): QueryMeaning | undefined {
    return this.#known.get(text)
  }

  keep(text: string, meaning: QueryMeaning): QueryMeaning {
    const [oldest] = this.#known.keys()
    if (this.#known.size >= MOST && oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(text, meaning)
    return meaning
  }
}
