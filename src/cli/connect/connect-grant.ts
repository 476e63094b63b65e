import { freezeGrant, type GrantedStream } from '../../model/access/grant.ts'
import { expiry } from '../../resource-server/owner/owner-grants.ts'
import { readGrant } from '../../store/access/grants.ts'
import { resolveToken } from '../../store/access/tokens.ts'
import { readCatalog } from '../../store/records/catalog.ts'
import type { Store } from '../../store/store.ts'
import { type Invocation, text } from '../command.ts'
import { requestOf } from '../commands/grants.ts'
import { ExitError } from '../terminal/exit-errors.ts'

/** What a client is to be given. */
export interface WantedGrant {
  client_name: string
  streams: GrantedStream[]
  expires_at: string | null
}

export interface ClientToken {
  access_token: string
  grant_id: string
  client_id: string
}

export async function wantedGrant(
  values: Invocation['values'],
  store: Store,
  client_name: string,
): Promise<WantedGrant> {
  const { connections } = await readCatalog(store.database, store.owner_id)
  if (connections.length === 0)
    throw new ExitError('There is no data yet that a grant could open.', 'footnote import PATH', 1)
  return {
    client_name,
    streams: freezeGrant(requestOf(values), connections),
    expires_at: expiry(text(values, 'expires')),
  }
}

export async function makeToken(store: Store, wanted: WantedGrant): Promise<ClientToken> {
  const { owner_id } = store
  const now = new Date().toISOString()
  return store.writer.call('createGrant', { owner_id, ...wanted, single_use: false, now })
}

/** The token as it is, when it opens just what is wanted and is in force. */
export async function tokenIfSame(
  store: Store,
  wanted: WantedGrant,
  access_token: string,
): Promise<ClientToken | null> {
  const [grant, ...others] = await grantsOf(store, access_token)
  if (!grant || others.length > 0) return null
  const { grant_id, client_id, client_name, expires_at } = grant
  if (client_name !== wanted.client_name || expires_at !== wanted.expires_at) return null
  const { streams } = await readGrant(store.database, { owner_id: store.owner_id, grant_id })
  const same = JSON.stringify(streams) === JSON.stringify(wanted.streams)
  return same ? { access_token, grant_id, client_id } : null
}

/** The name of the client that a token in force belongs to; null when it opens nothing here. */
export async function clientOf(store: Store, access_token: string): Promise<string | null> {
  const [grant] = await grantsOf(store, access_token)
  return grant?.client_name ?? null
}

/** Ends what a token opens, as far as it was made for this client. */
export async function revokeToken(store: Store, client_name: string, access_token: string): Promise<void> {
  for (const grant of await grantsOf(store, access_token)) {
    if (grant.client_name !== client_name) continue
    const { owner_id } = store
    const now = new Date().toISOString()
    await store.writer.call('revokeGrant', { owner_id, grant_id: grant.grant_id, now })
  }
}

async function grantsOf(store: Store, access_token: string) {
  const state = await resolveToken(store.database, access_token, new Date())
  return state?.kind === 'client' && state.owner_id === store.owner_id ? state.grants : []
}
