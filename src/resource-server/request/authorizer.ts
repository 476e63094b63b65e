import type { RouteAccess } from '../../api/route.ts'
import type { Access, Catalog } from '../../model/access/enforce.ts'
import { CodedError } from '../../model/errors.ts'
import type { TokenState } from '../../store/access/tokens.ts'
import { accessOf, authenticate, bearerOf } from './authenticate.ts'
import type { Environment } from './context.ts'
import { RateLimit } from './rate-limit.ts'
import type { Reply } from './responses.ts'

interface Known {
  /** The token's state as text: equal texts grant the same. */
  print: string
  state: TokenState
  access: Access
  catalog: Catalog
}

export interface Granted {
  access: Access
  catalog: Catalog
  confirm: () => Promise<void>
}

interface Asked {
  request: Request
  now: Date
}

class AccessChanged extends Error {}

const MOST_KNOWN = 1_000

/**
 * Decides what a request may do. The token's state is read from the database for every request; a read whose token
 * was seen before begins meanwhile with the access known then, and its answer leaves only when that access still
 * holds. When it does not, the answer is thrown away and the request is served anew.
 */
export class Authorizer {
  readonly #env: Environment
  readonly #rateLimit: RateLimit | null
  readonly #known = new Map<string, Known>()

  constructor(env: Environment) {
    this.#env = env
    this.#rateLimit = env.rateLimit && new RateLimit(env.rateLimit)
  }

  async run(
    { request, now }: Asked,
    route: { access: RouteAccess },
    handle: (granted: Granted) => Promise<Reply>,
  ): Promise<Reply> {
    const token = bearerOf(request)
    const fresh = authenticate(this.#env, token, now)
    const known = route.access === 'client or owner' ? this.#known.get(token) : undefined
    if (known) {
      const confirm = async () => {
        if (printOf(await fresh) !== known.print) throw new AccessChanged()
      }
      confirm().catch(() => {})
      this.#rateLimit?.take(known.state.token_hash, now)
      try {
        return await confirmed(handle({ ...known, confirm }), confirm)
      } catch (error) {
        if (!(error instanceof AccessChanged)) throw error
        this.#known.delete(token)
      }
    }
    const state = await fresh
    if (!known) this.#rateLimit?.take(state.token_hash, now)
    if (route.access === 'owner' && state.kind !== 'owner') {
      throw new CodedError('owner_token_required', 'This is for the owner of the data, not for a client.')
    }
    const [access, catalog] = await Promise.all([
      accessOf(this.#env, state, now),
      this.#env.store.catalog(state.owner_id, state.catalog_seq),
    ])
    this.#remember(token, { print: printOf(state), state, access, catalog })
    return handle({ access, catalog, confirm: async () => {} })
  }

  #remember(token: string, known: Known): void {
    if (known.state.kind === 'client' && known.state.grants.some(grant => grant.single_use)) return
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(token, known)
  }
}

/** The answer or the error of a request, once its access is confirmed; nothing is told from one that was not. */
async function confirmed(answer: Promise<Reply>, confirm: () => Promise<void>): Promise<Reply> {
  const [result] = await Promise.allSettled([answer])
  await confirm()
  if (result.status === 'rejected') throw result.reason
  return result.value
}

function printOf(state: TokenState): string {
  return JSON.stringify(state)
}
