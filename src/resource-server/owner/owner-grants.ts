import {
  freezeGrant,
  type GrantedStream,
  type GrantRequest,
  type GrantState,
  isActive,
} from '../../model/access/grant.ts'
import { CodedError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import { instantKey, instantText } from '../../model/time.ts'
import { listClients } from '../../store/access/clients.ts'
import { listGrants, readGrant } from '../../store/access/grants.ts'
import { readJson } from '../request/body.ts'
import type { RequestContext } from '../request/context.ts'
import { invalid } from '../request/parameters.ts'
import { json, list, type Reply } from '../request/responses.ts'

const LISTS = ['connections', 'streams', 'fields', 'records'] as const
const MEMBERS = ['client_name', 'since', 'until', 'expires_at', 'single_use', ...LISTS]

export async function createGrant(context: RequestContext): Promise<Reply> {
  const { body } = await readJson(context.request, MEMBERS)
  const client_name = text(body.client_name, 'client_name')
  if (client_name === undefined) throw invalid('client_name is missing.', 'client_name')
  const request: GrantRequest = {}
  for (const name of LISTS) {
    const values = texts(body[name], name)
    if (values) request[name] = values
  }
  for (const name of ['since', 'until'] as const) {
    const value = text(body[name], name)
    if (value !== undefined) request[name] = value
  }
  if (body.single_use !== undefined && typeof body.single_use !== 'boolean') {
    throw invalid('single_use is true or false.', 'single_use')
  }
  const made = await context.store.writer.call('createGrant', {
    owner_id: context.owner_id,
    client_name,
    streams: freezeGrant(request, context.catalog.connections),
    expires_at: expiry(text(body.expires_at, 'expires_at')),
    single_use: body.single_use === true,
    now: context.now.toISOString(),
  })
  return json({ object: 'grant', ...made }, 201)
}

export function expiry(value: string | undefined): string | null {
  if (value === undefined) return null
  const key = instantKey(value)
  if (!key || Number.isNaN(Date.parse(key)))
    throw invalid('The expiry is a date or a date-time with zone.', 'expires_at')
  return instantText(key)
}

export async function readGrants(context: RequestContext): Promise<Reply> {
  const grants = await listGrants(context.store.database, context.owner_id)
  return list(grants.map(grant => describe(grant, context.now)))
}

export async function readOneGrant(context: RequestContext): Promise<Reply> {
  const { state, streams } = await readGrant(context.store.database, grantOf(context))
  return json({ ...describe(state, context.now), streams: streams.map(describeStream) })
}

export async function revokeGrant(context: RequestContext): Promise<Reply> {
  const state = await context.store.writer.call('revokeGrant', {
    ...grantOf(context),
    now: context.now.toISOString(),
  })
  return json(describe(state, context.now))
}

export async function readClients(context: RequestContext): Promise<Reply> {
  const clients = await listClients(context.store.database, context.owner_id)
  return list(clients.map(client => ({ object: 'client', ...client })))
}

function grantOf(context: RequestContext) {
  return { owner_id: context.owner_id, grant_id: context.path.grant_id ?? '' }
}

export function describe(state: GrantState, now: Date) {
  return { object: 'grant', ...state, active: isActive(state, now) }
}

export function describeStream(stream: GrantedStream) {
  const plain = (key: string | null) => key && instantText(key.slice(1))
  return { ...stream, since: plain(stream.since), until: plain(stream.until) }
}

function text(value: Json | undefined, name: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && value !== '' && value.length <= 200) return value
  throw invalid(`${name} is a text of 1 to 200 characters.`, name)
}

function texts(value: Json | undefined, name: string): string[] | undefined {
  if (value === undefined || value === null) return undefined
  if (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(item => typeof item === 'string' && item !== '')
  ) {
    return value as string[]
  }
  throw new CodedError('invalid_request', `${name} is a list of at least one text.`, { param: name })
}
