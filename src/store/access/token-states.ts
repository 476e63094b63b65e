import { CodedError } from '../../model/errors.ts'
import type { Database } from '../engine/database.ts'
import { type EndedToken, resolveToken, type TokenState } from './tokens.ts'

interface Kept {
  state: TokenState
  /** What had changed in the database when it was read. */
  changes: number
  /** While the time is between these and nothing changes, the state is the same. */
  from: number
  until: number
}

const MOST_KEPT = 1_000
const RETRY_MS = 500

/**
 * What tokens open now. Where the engine tells whether anything has changed, a state is read again only after a change,
 * or when the token or one of its grants has ended.
 */
export class TokenStates implements Disposable {
  readonly #database: Database
  readonly #kept = new Map<string, Kept>()
  /** The grants whose end could not be stored yet, and how to store it. */
  readonly #unstored = new Map<string, () => Promise<unknown>>()
  #retry: NodeJS.Timeout | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** What a token gives access to now. A grant whose end could not be stored yet gives no access. */
  async resolve(token: string, now: Date): Promise<TokenState | EndedToken | null> {
    const state = await this.#read(token, now)
    if (state?.kind !== 'client' || this.#unstored.size === 0) return state
    const grants = state.grants.filter(({ grant_id }) => !this.#unstored.has(grant_id))
    return grants.length > 0 ? { ...state, grants } : { kind: 'ended', by: 'grant_revoked' }
  }

  /**
   * Ends grants so that this process refuses them immediately. If their end cannot be stored, they stay refused and it is
   * retried.
   */
  async end<T>(grant_ids: readonly string[], store: () => Promise<T>): Promise<T> {
    for (const grant_id of grant_ids) this.#unstored.set(grant_id, store)
    try {
      const result = await store()
      for (const grant_id of grant_ids) this.#unstored.delete(grant_id)
      return result
    } catch (error) {
      if (error instanceof CodedError && error.code !== 'service_unavailable')
        for (const grant_id of grant_ids) this.#unstored.delete(grant_id)
      else this.#tryLater()
      throw error
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#retry)
  }

  #tryLater(): void {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => {
      for (const [grant_id, store] of this.#unstored) this.end([grant_id], store).catch(() => {})
    }, RETRY_MS).unref()
  }

  async #read(token: string, now: Date): Promise<TokenState | EndedToken | null> {
    const { changes } = this.#database
    if (changes === null) return resolveToken(this.#database, token, now)
    const at = now.getTime()
    const kept = this.#kept.get(token)
    if (kept?.changes === changes && kept.from <= at && at < kept.until) return kept.state
    // A change from here on makes the number another one, so what is read now is never kept for too long.
    const state = await resolveToken(this.#database, token, now)
    this.#kept.delete(token)
    if (state === null || state.kind === 'ended') return state
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear()
    this.#kept.set(token, { state, changes, from: at, until: endOf(state) })
    return state
  }
}

/** When a state ends by itself. */
function endOf(state: TokenState): number {
  const grants = state.kind === 'client' ? state.grants : []
  const ends = [state, ...grants].map(({ expires_at }) => expires_at)
  return Math.min(...ends.map(end => (end === null ? Number.POSITIVE_INFINITY : Date.parse(end))))
}
