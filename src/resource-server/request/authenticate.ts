import { createHash, timingSafeEqual } from 'node:crypto'
import type { Access } from '../../model/access/enforce.ts'
import { CodedError } from '../../model/errors.ts'
import { resolveToken, type TokenState } from '../../store/access/tokens.ts'
import { catalogSeq } from '../../store/records/owners.ts'
import type { Environment } from './context.ts'

/** The token that a request carries; nothing is known of it yet. */
export function bearerOf(request: Request): string {
  const header = request.headers.get('Authorization')
  const token = header === null ? null : /^Bearer +([A-Za-z0-9._~+/=-]{1,512}) *$/i.exec(header)?.[1]
  if (!token) throw refused('This needs a token: Authorization: Bearer ….')
  return token
}

/** The state of the request's own token; every read uses it and nothing else (RS-3). */
export async function authenticate(env: Environment, token: string, now: Date): Promise<TokenState> {
  const { store, ownerKey } = env
  if (ownerKey !== undefined && sameText(token, ownerKey)) {
    const catalog_seq = await catalogSeq(store.database, store.owner_id)
    return { kind: 'owner', owner_id: store.owner_id, token_hash: 'inside', catalog_seq }
  }
  const state = await resolveToken(env.store.database, token, now)
  if (!state) throw refused('The token is unknown, expired or revoked.')
  return state
}

/** What the token may read. The first use of a single-use grant is noted before anything is shown. */
export async function accessOf(env: Environment, state: TokenState, now: Date): Promise<Access> {
  const { owner_id } = state
  if (state.kind === 'owner') return { kind: 'owner', owner_id }
  const unused = state.grants.filter(grant => grant.single_use && grant.first_used_at === null)
  for (const { grant_id } of unused) {
    await env.store.writer.call('markFirstUse', { owner_id, grant_id, now: now.toISOString() })
  }
  const grants = await Promise.all(state.grants.map(({ grant_id }) => env.store.grant(owner_id, grant_id)))
  return { kind: 'client', owner_id, client_id: grants[0]?.client_id ?? '', grants }
}

function sameText(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(a), hash(b))
}

function refused(message: string): CodedError {
  return new CodedError('invalid_token', message)
}
