import { listConnections, listDeclarations } from '../../api/owner/catalog.ts'
import { createGrant, readGrant, revokeGrant } from '../../api/owner/grants.ts'
import { introspectToken } from '../../api/owner/tokens.ts'
import {
  type Connection,
  freezeGrant,
  type GrantedStream,
  type GrantRequest,
} from '../../model/access/grant.ts'
import type { Declaration } from '../../model/declaration/declaration.ts'
import { expiry } from '../../resource-server/owner/grants.ts'
import type { Invocation } from '../command.ts'
import { expiresOf, requestOf } from '../commands/grants.ts'
import type { OwnServer } from '../own-server.ts'
import { ExitError } from '../terminal/exit-errors.ts'

/** What a client should be granted. */
export interface WantedGrant {
  client_name: string
  request: GrantRequest
  /** What the request gives access to, in the form of a grant. */
  streams: GrantedStream[]
  expires_at: string | null
}

export interface ClientToken {
  access_token: string
  client_id: string
  grant_ids: string[]
}

export async function wantedGrant(
  invocation: Invocation,
  server: OwnServer,
  client_name: string,
): Promise<WantedGrant> {
  const connections = await connectionsOf(server)
  if (connections.length === 0)
    throw new ExitError('There is no data yet to grant access to.', 'footnote import PATH', 1)
  const request = await requestOf(invocation, server)
  return {
    client_name,
    request,
    streams: freezeGrant(request, connections).flatMap(({ streams }) => streams),
    expires_at: expiry(expiresOf(invocation.values, server)),
  }
}

async function connectionsOf(server: OwnServer): Promise<Connection[]> {
  const { data } = await server.call(listConnections, {})
  const declarations = (await server.call(listDeclarations, {})) as { data: Declaration[] }
  // The newest version of each is the last.
  const latest = new Map(declarations.data.map(each => [each.source.id, each]))
  return data.flatMap(row => {
    const declaration = latest.get(row.source_id)
    return declaration ? [{ ...row, declaration }] : []
  })
}

export async function makeToken(
  server: OwnServer,
  { client_name, request, expires_at }: WantedGrant,
): Promise<ClientToken> {
  const json = { client_name, ...request, expires_at }
  const made = await server.call(createGrant, {}, { json })
  const { access_token, client_id } = made
  return { access_token, client_id, grant_ids: made.grants.map(({ grant_id }) => grant_id) }
}

/** The existing token, if it gives exactly the wanted access and is valid. */
export async function tokenIfSame(
  server: OwnServer,
  wanted: WantedGrant,
  access_token: string,
): Promise<ClientToken | null> {
  const grants = await grantsOf(server, access_token)
  const [first] = grants
  const isWanted = (grant: { client_name: string; expires_at: string | null }) =>
    grant.client_name === wanted.client_name && grant.expires_at === wanted.expires_at
  if (!first || !grants.every(isWanted)) return null
  const grant_ids = grants.map(({ grant_id }) => grant_id)
  const streams: GrantedStream[] = []
  for (const grant_id of grant_ids) {
    const { grant } = await server.call(readGrant, { grant_id })
    streams.push(...(grant?.streams ?? []))
  }
  const same = inOrder(streams) === inOrder(wanted.streams)
  return same ? { access_token, client_id: first.client_id, grant_ids } : null
}

function inOrder(streams: readonly GrantedStream[]): string {
  return JSON.stringify(streams.map(stream => JSON.stringify(stream)).sort())
}

/** The name of the client that a valid token belongs to; null if it gives no access here. */
export async function clientOf(server: OwnServer, access_token: string): Promise<string | null> {
  const [grant] = await grantsOf(server, access_token)
  return grant?.client_name ?? null
}

/** Ends the grants of a token, if they were made for this client. */
export async function revokeToken(
  server: OwnServer,
  client_name: string,
  access_token: string,
): Promise<void> {
  for (const grant of await grantsOf(server, access_token)) {
    if (grant.client_name === client_name) await server.call(revokeGrant, grant)
  }
}

async function grantsOf(server: OwnServer, token: string) {
  return (await server.call(introspectToken, {}, { json: { token } })).grants
}
