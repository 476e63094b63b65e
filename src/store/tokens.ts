import { randomBytes } from 'node:crypto'
import { CodedError } from '../model/errors.ts'
import { type Grant, type GrantedStream, type GrantState, isActive } from '../model/grant.ts'
import { noteEvent } from './audit.ts'
import type { Database } from './database.ts'
import { hashOf, randomId } from './identifiers.ts'

export type TokenKind = 'owner' | 'client'

const PREFIX: Record<TokenKind, string> = { owner: 'fno', client: 'fnc' }

/** What a token opens, as of now. `catalog_seq` says which state of the catalog goes with it. */
export type TokenState =
  | { kind: 'owner'; owner_id: string; token_hash: string; catalog_seq: number }
  | { kind: 'client'; owner_id: string; token_hash: string; catalog_seq: number; grants: GrantState[] }

export function newToken(kind: TokenKind, owner_id: string): string {
  return `${PREFIX[kind]}_${owner_id}_${randomBytes(32).toString('base64url')}`
}

/** The owner that a token names; nothing is proven by it. Null when it is no token of ours. */
function ownerNamedBy(token: string): string | null {
  return /^fn[oc]_(o[a-z0-9]{1,16})_[A-Za-z0-9_-]{43}$/.exec(token)?.[1] ?? null
}

export async function createOwnerToken(
  database: Database,
  args: { owner_id: string; now: string },
): Promise<string> {
  const token = newToken('owner', args.owner_id)
  await database.transaction(async transaction => {
    await transaction.run('INSERT INTO tokens (owner_id, token_hash, kind, created_at) VALUES (?, ?, ?, ?)', [
      args.owner_id,
      hashOf(token),
      'owner',
      args.now,
    ])
  })
  return token
}

export interface NewGrant {
  owner_id: string
  client_name: string
  streams: GrantedStream[]
  expires_at: string | null
  single_use: boolean
  now: string
}

/** Writes a grant, its client when it is new by name, and a token for it, in one transaction. */
export async function createGrant(
  database: Database,
  args: NewGrant,
): Promise<{ grant_id: string; client_id: string; access_token: string }> {
  const { owner_id, client_name, streams, expires_at, single_use, now } = args
  return database.transaction(async transaction => {
    const client_id = await ensureClient(transaction, owner_id, client_name, now)
    const grant_id = randomId('grt_', 10)
    await transaction.run(
      `INSERT INTO grants (owner_id, grant_id, client_id, created_at, expires_at, single_use, streams)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      [owner_id, grant_id, client_id, now, expires_at, single_use ? 1 : 0, JSON.stringify(streams)],
    )
    const access_token = await createClientToken(transaction, { owner_id, grant_ids: [grant_id], now })
    await noteEvent(transaction, owner_id, {
      at: now,
      event: 'grant_made',
      actor: 'owner',
      client_id,
      grant_id,
    })
    return { grant_id, client_id, access_token }
  })
}

/** A token for several grants at once; the resource server enforces each. */
export async function createClientToken(
  database: Database,
  args: { owner_id: string; grant_ids: string[]; now: string },
): Promise<string> {
  const token = newToken('client', args.owner_id)
  const token_hash = hashOf(token)
  await database.run('INSERT INTO tokens (owner_id, token_hash, kind, created_at) VALUES (?, ?, ?, ?)', [
    args.owner_id,
    token_hash,
    'client',
    args.now,
  ])
  for (const grant_id of args.grant_ids) {
    await database.run('INSERT INTO token_grants (owner_id, token_hash, grant_id) VALUES (?, ?, ?)', [
      args.owner_id,
      token_hash,
      grant_id,
    ])
  }
  return token
}

async function ensureClient(
  database: Database,
  owner_id: string,
  name: string,
  now: string,
): Promise<string> {
  const known = await database.get<{ client_id: string }>(
    // A client that registered itself chose its own name, so a name is no reason to take it for one of the owner's.
    'SELECT client_id FROM clients WHERE owner_id = ? AND name = ? AND origin IS NULL ORDER BY created_at LIMIT 1',
    [owner_id, name],
  )
  if (known) return known.client_id
  const client_id = randomId('cli_', 10)
  await database.run('INSERT INTO clients (owner_id, client_id, name, created_at) VALUES (?, ?, ?, ?)', [
    owner_id,
    client_id,
    name,
    now,
  ])
  return client_id
}

export type GrantRow = Omit<GrantState, 'single_use'> & { single_use: number }

const GRANT_STATE = `g.grant_id, g.client_id, c.name AS client_name, g.created_at, g.expires_at, g.single_use,
  g.first_used_at, g.revoked_at`

export function stateOf(row: GrantRow): GrantState {
  return { ...row, single_use: row.single_use === 1 }
}

const RESOLVE = `SELECT t.kind, t.expires_at AS token_expires_at, o.catalog_seq, ${GRANT_STATE}
  FROM tokens t JOIN owners o ON o.owner_id = t.owner_id
  LEFT JOIN token_grants tg ON tg.owner_id = t.owner_id AND tg.token_hash = t.token_hash
  LEFT JOIN grants g ON g.owner_id = tg.owner_id AND g.grant_id = tg.grant_id
  LEFT JOIN clients c ON c.owner_id = g.owner_id AND c.client_id = g.client_id
  WHERE t.owner_id = ? AND t.token_hash = ?`

interface ResolvedRow extends GrantRow {
  kind: TokenKind
  token_expires_at: string | null
  catalog_seq: number
}

function grantOf({ kind: _, token_expires_at: __, catalog_seq: ___, ...row }: ResolvedRow): GrantState {
  return stateOf(row)
}

/** What a token opens now; null for one that is unknown, or whose every grant is revoked, expired or used up. */
export async function resolveToken(database: Database, token: string, now: Date): Promise<TokenState | null> {
  const owner_id = ownerNamedBy(token)
  if (!owner_id) return null
  const token_hash = hashOf(token)
  const rows = await database.all<ResolvedRow>(RESOLVE, [owner_id, token_hash])
  const [first] = rows
  if (!first) return null
  const { kind, catalog_seq, token_expires_at } = first
  if (token_expires_at !== null && !(Date.parse(token_expires_at) > now.getTime())) return null
  if (kind === 'owner') return { kind, owner_id, token_hash, catalog_seq }
  const grants = rows.filter(row => row.grant_id !== null).map(grantOf)
  const active = grants.filter(grant => isActive(grant, now))
  return active.length > 0 ? { kind, owner_id, token_hash, catalog_seq, grants: active } : null
}

/** Starts the ten minutes of a single-use grant; only the first call has an effect. */
export async function markFirstUse(
  database: Database,
  args: { owner_id: string; grant_id: string; now: string },
): Promise<void> {
  const { owner_id, grant_id, now } = args
  await database.transaction(async transaction => {
    const first = await transaction.run(
      'UPDATE grants SET first_used_at = ? WHERE owner_id = ? AND grant_id = ? AND first_used_at IS NULL',
      [now, owner_id, grant_id],
    )
    if (first === 0) return
    await noteEvent(transaction, owner_id, { at: now, event: 'grant_first_used', actor: 'client', grant_id })
  })
}

export async function revokeGrant(
  database: Database,
  args: { owner_id: string; grant_id: string; now: string },
): Promise<GrantState> {
  await database.transaction(transaction => endGrant(transaction, { ...args, actor: 'owner' }))
  return (await readGrant(database, args)).state
}

/** Ends a grant; what ends it first stays in the audit trail. */
export async function endGrant(
  transaction: Database,
  args: { owner_id: string; grant_id: string; actor: 'owner' | 'client' | 'server'; now: string },
): Promise<void> {
  const { owner_id, grant_id, actor, now } = args
  const ended = await transaction.get<{ client_id: string }>(
    `UPDATE grants SET revoked_at = ? WHERE owner_id = ? AND grant_id = ? AND revoked_at IS NULL
     RETURNING client_id`,
    [now, owner_id, grant_id],
  )
  if (!ended) return
  const { client_id } = ended
  await noteEvent(transaction, owner_id, { at: now, event: 'grant_revoked', actor, client_id, grant_id })
}

export async function listGrants(database: Database, owner_id: string): Promise<GrantState[]> {
  const rows = await database.all<GrantRow>(
    `SELECT ${GRANT_STATE} FROM grants g JOIN clients c ON c.owner_id = g.owner_id AND c.client_id = g.client_id
     WHERE g.owner_id = ? ORDER BY g.created_at, g.grant_id`,
    [owner_id],
  )
  return rows.map(stateOf)
}

export async function readGrant(
  database: Database,
  args: { owner_id: string; grant_id: string },
): Promise<{ state: GrantState; streams: GrantedStream[] }> {
  const row = await database.get<GrantRow & { streams: string }>(
    `SELECT ${GRANT_STATE}, g.streams FROM grants g
     JOIN clients c ON c.owner_id = g.owner_id AND c.client_id = g.client_id
     WHERE g.owner_id = ? AND g.grant_id = ?`,
    [args.owner_id, args.grant_id],
  )
  if (!row) throw new CodedError('grant_not_found', `There is no grant ${args.grant_id}.`)
  const { streams, ...state } = row
  return { state: stateOf(state), streams: JSON.parse(streams) }
}

/** The frozen part of grants, by id. */
export async function readGrantBody(database: Database, owner_id: string, grant_id: string): Promise<Grant> {
  const { state, streams } = await readGrant(database, { owner_id, grant_id })
  return { grant_id, client_id: state.client_id, streams }
}

export interface ClientRow {
  client_id: string
  name: string
  created_at: string
}

export async function listClients(database: Database, owner_id: string): Promise<ClientRow[]> {
  return database.all<ClientRow>(
    'SELECT client_id, name, created_at FROM clients WHERE owner_id = ? ORDER BY created_at, client_id',
    [owner_id],
  )
}
