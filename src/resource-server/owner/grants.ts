import * as api from '../../api/owner/grants.ts'
import { readTime } from '../../api/parameter.ts'
import type { Catalog } from '../../model/access/enforce.ts'
import {
  bound,
  freezeGrant,
  type GrantRequest,
  type GrantState,
  type GrantTerms,
  isActive,
  narrowedStreams,
} from '../../model/access/grant.ts'
import { AGENT_CONTEXT } from '../../model/access/purpose.ts'
import { isAbsoluteUri } from '../../model/declaration/declaration.ts'
import { CodedError, invalidRequest } from '../../model/errors.ts'
import { instantText } from '../../model/time.ts'
import { listClients } from '../../store/access/clients.ts'
import { listGrants, readGrant } from '../../store/access/grants.ts'
import { serve } from '../request/context.ts'
import { json } from '../request/responses.ts'

export const createGrant = serve(api.createGrant, async context => {
  const { client_name, expires_at, single_use = false, purpose_code, ...rest } = await context.body()
  if (typeof purpose_code === 'string' && !isAbsoluteUri(purpose_code))
    throw invalidRequest('purpose_code must be an absolute URI.', 'purpose_code')
  const expires = expiry(expires_at ?? undefined)
  const made = await context.write('createGrants', {
    client_name,
    terms: termsOf(rest, context.catalog, {
      purpose_code: purpose_code ?? AGENT_CONTEXT,
      access_mode: single_use ? 'single_use' : 'continuous',
      ...(expires === null ? {} : { expires_at: expires }),
    }),
  })
  return json({ object: 'access', ...made }, 201)
})

export const addSources = serve(api.addSources, async context => {
  const { client_id } = context.path
  const request = await context.body()
  const rest = { purpose_code: AGENT_CONTEXT, access_mode: 'continuous' } as const
  const terms = termsOf(request, context.catalog, rest)
  const grants = await context.write('addGrants', { client_id, terms })
  return json({ object: 'added_sources', client_id, grants }, grants.length > 0 ? 201 : 200)
})

/** A grant for each connection of a request; null members are left out. */
function termsOf(
  request: { [Name in keyof GrantRequest]?: GrantRequest[Name] | null },
  { connections }: Pick<Catalog, 'connections'>,
  rest: Pick<GrantTerms, 'purpose_code' | 'access_mode' | 'expires_at'>,
): GrantTerms[] {
  const given = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== null))
  return freezeGrant(given as GrantRequest, connections).map(({ connection: { declaration }, streams }) => ({
    source: declaration.source,
    source_declaration: { version: declaration.declaration_version },
    ...rest,
    streams,
  }))
}

export function expiry(value: string | undefined): string | null {
  if (value === undefined) return null
  const key = readTime(value, 'expires_at')
  if (Number.isNaN(Date.parse(key))) throw invalidRequest('expires_at is not a valid time.', 'expires_at')
  return instantText(key)
}

export const readGrants = serve(api.listGrants, async context => {
  const grants = await listGrants(context.store.database, context.owner_id)
  return context.list(grants.map(grant => describe(grant, context.now)))
})

export const readOneGrant = serve(api.readGrant, async ({ path, store, owner_id, now }) => {
  return json(describe(await readGrant(store.database, { owner_id, grant_id: path.grant_id }), now))
})

export const replaceGrant = serve(api.replaceGrant, async context => {
  const { store, owner_id, now, catalog, path } = context
  const { streams, expires_at } = await context.body()
  const { grant } = await readGrant(store.database, { owner_id, grant_id: path.grant_id })
  if (!grant) throw new CodedError('client_must_ask', 'This grant was made before an upgrade.')
  if (streams?.length === 0) throw invalidRequest('Name the streams that are left.', 'streams')
  const declared = catalog.declaration(grant.source.id, grant.source_declaration.version)
  const made = await context.write('replaceGrant', {
    grant_id: path.grant_id,
    streams: streams
      ? narrowedStreams(
          grant.streams,
          streams.map(({ since, ...kept }) => ({ ...kept, since: bound(since ?? undefined, 'since') })),
          declared,
        )
      : grant.streams,
    expires_at: expires_at === undefined ? (grant.expires_at ?? null) : expiry(expires_at ?? undefined),
  })
  return json(describe(await readGrant(store.database, { owner_id, grant_id: made.grant_id }), now), 201)
})

export const revokeGrant = serve(api.revokeGrant, async ({ path, store, owner_id, now }) => {
  const args = { owner_id, grant_id: path.grant_id, now: now.toISOString() }
  return json(describe(await store.revokeGrant(args), now))
})

export const readClients = serve(api.listClients, async context => {
  const clients = await listClients(context.store.database, context.owner_id, context.now)
  return context.list(clients.map(client => ({ object: 'client', ...client })))
})

export function describe<State extends GrantState>(state: State, now: Date) {
  return { object: 'grant', ...state, active: isActive(state, now) } as const
}
