import * as api from '../../api/owner-grants.ts'
import { readTime } from '../../api/parameter.ts'
import { isAbsoluteUri } from '../../model/absolute-uri.ts'
import { freezeGrant, type GrantRequest, type GrantState, isActive } from '../../model/access/grant.ts'
import { AGENT_CONTEXT } from '../../model/access/purpose.ts'
import { invalidRequest } from '../../model/errors.ts'
import { instantText } from '../../model/time.ts'
import { listClients } from '../../store/access/clients.ts'
import { listGrants, readGrant } from '../../store/access/grants.ts'
import { json } from '../request/responses.ts'
import { serve } from '../request/serve.ts'

export const createGrant = serve(api.createGrant, async context => {
  const { client_name, expires_at, single_use = false, purpose_code, ...rest } = (await context.body()).body
  if (typeof purpose_code === 'string' && !isAbsoluteUri(purpose_code))
    throw invalidRequest('purpose_code is an absolute URI.', 'purpose_code')
  const request = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
  const expires = expiry(expires_at ?? undefined)
  const frozen = freezeGrant(request as GrantRequest, context.catalog.connections)
  const made = await context.store.writer.call('createGrants', {
    owner_id: context.owner_id,
    client_name,
    terms: frozen.map(({ connection: { declaration }, streams }) => ({
      source: declaration.source,
      source_declaration: { version: declaration.declaration_version },
      purpose_code: purpose_code ?? AGENT_CONTEXT,
      access_mode: single_use ? 'single_use' : 'continuous',
      streams,
      ...(expires === null ? {} : { expires_at: expires }),
    })),
    now: context.now.toISOString(),
  })
  return json({ object: 'access', ...made }, 201)
})

export function expiry(value: string | undefined): string | null {
  if (value === undefined) return null
  const key = readTime(value, 'expires_at')
  if (Number.isNaN(Date.parse(key)))
    throw invalidRequest('expires_at is not a time that a clock shows.', 'expires_at')
  return instantText(key)
}

export const readGrants = serve(api.listGrants, async context => {
  const grants = await listGrants(context.store.database, context.owner_id)
  return context.list(grants.map(grant => describe(grant, context.now)))
})

export const readOneGrant = serve(api.readGrant, async ({ path, store, owner_id, now }) => {
  const { state, grant } = await readGrant(store.database, { owner_id, grant_id: path.grant_id })
  return json({ ...describe(state, now), grant })
})

export const revokeGrant = serve(api.revokeGrant, async ({ path, store, owner_id, now }) => {
  const args = { owner_id, grant_id: path.grant_id, now: now.toISOString() }
  return json(describe(await store.revokeGrant(args), now))
})

export const readClients = serve(api.listClients, async context => {
  const clients = await listClients(context.store.database, context.owner_id)
  return context.list(clients.map(client => ({ object: 'client', ...client })))
})

export function describe(state: GrantState, now: Date) {
  return { object: 'grant', ...state, active: isActive(state, now) } as const
}
