import { listConnections, listDeclarations } from '../../api/owner-catalog.ts'
import { createGrant, readGrant, revokeGrant } from '../../api/owner-grants.ts'
import { introspectToken } from '../../api/owner-tokens.ts'
import {
  type Connection,
  freezeGrant,
  type GrantedStream,
  type GrantRequest,
} from '../../model/access/grant.ts'
import type { Declaration } from '../../model/declaration/declaration.ts'
import { describeStream, expiry } from '../../resource-server/owner/owner-grants.ts'
import { type Invocation, text } from '../command.ts'
import { type MadeGrant, requestOf } from '../commands/grants.ts'
import type { OwnServer } from '../own-server.ts'
import { ExitError } from '../terminal/exit-errors.ts'

/** What a client is to be given. */
export interface WantedGrant {
  client_name: string
  request: GrantRequest
  /** What the request opens, as a grant of it would show it. */
  streams: GrantedStream[]
  expires_at: string | null
}

export type ClientToken = Omit<MadeGrant, 'object'>

export async function wantedGrant(
  values: Invocation['values'],
  server: OwnServer,
  client_name: string,
): Promise<WantedGrant> {
  const connections = await connectionsOf(server)
  if (connections.length === 0)
    throw new ExitError('There is no data yet that a grant could open.', 'footnote import PATH', 1)
  const request = requestOf(values)
  return {
    client_name,
    request,
    streams: freezeGrant(request, connections).map(describeStream),
    expires_at: expiry(text(values, 'expires')),
  }
}

async function connectionsOf(server: OwnServer): Promise<Connection[]> {
  const { data } = await server.call(listConnections, {})
  const declarations = (await server.call(listDeclarations, {})) as { data: Declaration[] }
  // The newest version of each is the last.
  const latest = new Map(declarations.data.map(each => [each.connector_key, each]))
  return data.flatMap(row => {
    const declaration = latest.get(row.connector_key)
    return declaration ? [{ ...row, declaration }] : []
  })
}

export async function makeToken(
  server: OwnServer,
  { client_name, request, expires_at }: WantedGrant,
): Promise<ClientToken> {
  const json = { client_name, ...request, expires_at }
  const { access_token, grant_id, client_id } = await server.call(createGrant, {}, { json })
  return { access_token, grant_id, client_id }
}

/** The token as it is, when it opens exactly what is wanted and is in force. */
export async function tokenIfSame(
  server: OwnServer,
  wanted: WantedGrant,
  access_token: string,
): Promise<ClientToken | null> {
  const [grant, ...others] = await grantsOf(server, access_token)
  if (!grant || others.length > 0) return null
  const { grant_id, client_id, client_name, expires_at } = grant
  if (client_name !== wanted.client_name || expires_at !== wanted.expires_at) return null
  const { streams } = await server.call(readGrant, { grant_id })
  const same = JSON.stringify(streams) === JSON.stringify(wanted.streams)
  return same ? { access_token, grant_id, client_id } : null
}

/** The name of the client that a token in force belongs to; null when it opens nothing here. */
export async function clientOf(server: OwnServer, access_token: string): Promise<string | null> {
  const [grant] = await grantsOf(server, access_token)
  return grant?.client_name ?? null
}

/** Ends what a token opens, as far as it was made for this client. */
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
