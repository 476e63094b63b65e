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

/**
 * What tokens open now. Where the engine tells whether anything has changed, a state is read again only after a change,
 * or when the token or one of its grants has ended.
 */
export class TokenStates {
  readonly #database: Database
  readonly #kept = new Map<string, Kept>()

  constructor(database: Database) {
    this.#database = database
  }

  async resolve(token: string, now: Date): Promise<TokenState | EndedToken | null> {
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
