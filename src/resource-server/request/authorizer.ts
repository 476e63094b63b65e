import { timingSafeEqual } from 'node:crypto'
import type { RouteAccess } from '../../api/route.ts'
import type { Access, Catalog } from '../../model/access/enforce.ts'
import { ENDED_ACCESS, endedAccess } from '../../model/access/grant.ts'
import { CodedError } from '../../model/errors.ts'
import { RecentlyUsed } from '../../model/recently-used.ts'
import type { TokenState } from '../../store/access/tokens.ts'
import { lastNumber } from '../../store/engine/owner-row.ts'
import type { Environment } from './context.ts'
import type { Reply } from './responses.ts'

export interface Granted {
  access: Access
  catalog: Catalog
  /** Whether the request adds a line to the ledger. */
  noted: boolean
}

interface Known extends Granted {
  /** As it was last read. */
  state: TokenState
  /** The state as text: equal texts give the same access. */
  print: string
  /** What callers inside this process cache while the state is unchanged. */
  memory: Map<string, unknown>
}

interface Asked {
  request: Request
  now: Date
}

const MOST_KNOWN = 1_000
/** Used in place of the hash for the owner's key inside this process. */
const INSIDE = 'inside'

/** A token whose state is being read. All requests that are served under it share that one read. */
export class Authorization {
  readonly token: string
  readonly state: Promise<TokenState>
  /** What the token gave access to when it was last seen. */
  readonly known: Known | undefined
  /** What it gives access to now, once a request has needed that. */
  opened: Promise<Known> | undefined

  constructor(token: string, state: Promise<TokenState>, known: Known | undefined) {
    this.token = token
    this.state = state
    this.known = known
  }

  /** Whether the token gives access to what it did when it was last seen. */
  async isUnchanged(): Promise<boolean> {
    const { known } = this
    if (!known) return false
    const state = await this.state
    if (state !== known.state && JSON.stringify(state) !== known.print) return false
    known.state = state
    return true
  }

  /** What is cached for the token; null if its access has changed or it was not seen before. */
  async memory(): Promise<Map<string, unknown> | null> {
    return (await this.isUnchanged()) ? (this.known?.memory ?? null) : null
  }

  /** The kind of the token; null if it is unknown, expired or revoked. */
  async kind(): Promise<TokenState['kind'] | null> {
    try {
      return (await this.state).kind
    } catch (error) {
      if (error instanceof CodedError && (error.status === 401 || error.code in ENDED_ACCESS)) return null
      throw error
    }
  }
}

/**
 * Decides what a request may do. The token's state is read from the database for every incoming request. A read whose
 * token was seen before starts at the same time with the access known then, and its response is sent only if that
 * access is still valid. Otherwise the response is discarded and the request is served again.
 */
export class Authorizer {
  readonly #env: Environment
  /** By token. */
  readonly #known = new RecentlyUsed<Known>(MOST_KNOWN)
  readonly #vouched = new WeakMap<Request, Authorization | Access>()

  constructor(env: Environment) {
    this.#env = env
  }

  /** Starts reading the state of the request's token; null if it has none. */
  begin(request: Request, now = this.#env.clock()): Authorization | null {
    const token = bearerOf(request)
    if (token === null) return null
    const state = authenticate(this.#env, token, now)
    // Whatever the reason, a token that fails does not start work early the next time.
    state.catch(() => this.#known.delete(token))
    const known = this.#known.known(token)
    if (known) this.#known.set(token, known)
    return new Authorization(token, state, known)
  }

  /**
   * Admits a request from this process under an authorization that has begun, or with an access instead of a token.
   * What is read with a given access is only shown to the owner, so it is not recorded in the ledger.
   */
  vouch(request: Request, by: Authorization | Access): void {
    this.#vouched.set(request, by)
  }

  /**
   * Reads with the access of a request, and makes the response of what was read once that access is confirmed: until
   * then nothing is revealed or recorded. If it has changed, everything is read again.
   */
  async run<Read>(
    { request, now }: Asked,
    route: { access: RouteAccess },
    read: (granted: Granted) => Promise<Read>,
    respond: (read: Read) => Promise<Reply>,
  ): Promise<Reply> {
    const vouched = this.#vouched.get(request) ?? this.begin(request, now)
    if (!vouched) throw refused('This needs a token: Authorization: Bearer ….')
    if (!(vouched instanceof Authorization)) return respond(await read(await this.#given(vouched)))
    const known = route.access === 'client or owner' ? vouched.known : undefined
    if (known) {
      this.#count(known.state, now)
      const early = await read(known)
      if (await vouched.isUnchanged()) return respond(early)
    }
    const state = await vouched.state
    if (!known) this.#count(state, now)
    vouched.opened ??= this.#open(vouched.token, state)
    return respond(await read(await vouched.opened))
  }

  /** Counts by client, however many tokens and grants it has. */
  #count(state: TokenState, now: Date): void {
    if (state.token_hash === INSIDE) return
    const client = state.kind === 'owner' ? 'owner' : (state.grants[0]?.client_id ?? '')
    this.#env.rateLimit?.take(client, now)
  }

  async #given(access: Access): Promise<Granted> {
    const { store } = this.#env
    const seq = await lastNumber(store.database, access.owner_id, 'catalog_seq')
    return { access, catalog: await store.catalog(access.owner_id, seq), noted: false }
  }

  async #open(token: string, state: TokenState): Promise<Known> {
    const [access, catalog] = await Promise.all([
      accessOf(this.#env, state),
      this.#env.store.catalog(state.owner_id, state.catalog_seq),
    ])
    const known = { access, catalog, noted: true, state, print: JSON.stringify(state), memory: new Map() }
    this.#known.set(token, known)
    return known
  }
}

/** The token in a request, not yet checked. */
function bearerOf(request: Request): string | null {
  const header = request.headers.get('Authorization') ?? ''
  return /^Bearer +([A-Za-z0-9._~+/=-]{1,512}) *$/i.exec(header)?.[1] ?? null
}

/** The state of the request's own token; every read uses only this (RS-3). */
async function authenticate(env: Environment, token: string, now: Date): Promise<TokenState> {
  const { store, ownerKey } = env
  if (ownerKey !== undefined && sameText(token, ownerKey)) {
    const catalog_seq = await lastNumber(store.database, store.owner_id, 'catalog_seq')
    return { kind: 'owner', owner_id: store.owner_id, token_hash: INSIDE, expires_at: null, catalog_seq }
  }
  const state = await store.tokens.resolve(token, now)
  if (!state) throw refused('The token is unknown or has expired.')
  if (state.kind === 'ended') throw endedAccess(state.by)
  return state
}

/** What the token may read. */
async function accessOf(env: Environment, state: TokenState): Promise<Access> {
  const { owner_id } = state
  if (state.kind === 'owner') return { kind: 'owner', owner_id }
  const grants = await Promise.all(state.grants.map(({ grant_id }) => env.store.grant(owner_id, grant_id)))
  return { kind: 'client', owner_id, client_id: state.grants[0]?.client_id ?? '', grants }
}

/** For texts in ASCII, whose lengths are not secret. */
function sameText(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

function refused(message: string): CodedError {
  return new CodedError('authentication_error', message)
}
