import * as api from '../../api/owner-grants.ts'
import { readTime } from '../../api/parameter.ts'
import {
  freezeGrant,
  type GrantedStream,
  type GrantRequest,
  type GrantState,
  isActive,
} from '../../model/access/grant.ts'
import { invalidRequest } from '../../model/errors.ts'
import { instantText } from '../../model/time.ts'
import { listClients } from '../../store/access/clients.ts'
import { listGrants, readGrant } from '../../store/access/grants.ts'
import { json } from '../request/responses.ts'
import { serve } from '../request/serve.ts'

export const createGrant = serve(api.createGrant, async context => {
  const { client_name, expires_at, single_use = false, ...rest } = (await context.body()).body
  const request = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
  const made = await context.store.writer.call('createGrant', {
    owner_id: context.owner_id,
    client_name,
    streams: freezeGrant(request as GrantRequest, context.catalog.connections),
    expires_at: expiry(expires_at ?? undefined),
    single_use,
    now: context.now.toISOString(),
  })
  return json({ object: 'grant', ...made }, 201)
})

export function expiry(value: string | undefined): string | null {
  if (value === undefined) return null
  const key = readTime(value, 'expires_at')
  if (Number.isNaN(Date.parse(key))) throw invalidRequest('expires_at is no time of a clock.', 'expires_at')
  return instantText(key)
}

export const readGrants = serve(api.listGrants, async context => {
  const grants = await listGrants(context.store.database, context.owner_id)
  return context.list(grants.map(grant => describe(grant, context.now)))
})

export const readOneGrant = serve(api.readGrant, async ({ path, store, owner_id, now }) => {
  const { state, streams } = await readGrant(store.database, { owner_id, grant_id: path.grant_id })
  return json({ ...describe(state, now), streams: streams.map(describeStream) })
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

export function describeStream(stream: GrantedStream) {
  const plain = (key: string | null) => key && instantText(key.slice(1))
  return { ...stream, since: plain(stream.since), until: plain(stream.until) }
}
