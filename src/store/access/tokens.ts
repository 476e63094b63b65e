import { randomBytes } from 'node:crypto'
import {
  type ENDED_ACCESS,
  type Grant,
  type GrantState,
  type GrantTerms,
  isActive,
  isExpired,
} from '../../model/access/grant.ts'
import type { Database, Queryable, Transaction } from '../engine/database.ts'
import { hashOf } from '../engine/identifiers.ts'
import { lockedTransaction } from '../engine/owner-row.ts'
import { deleteRows, listRows } from '../engine/rows.ts'
import type { Row } from '../engine/table.ts'
import { ensureClient } from './clients.ts'
import { consumeGrants, GRANT_STATE, type GrantRow, insertGrant, stateOf } from './grants.ts'
import { TOKEN_GRANTS, TOKENS } from './tables.ts'

export type TokenKind = 'owner' | 'client'

const PREFIX: Record<TokenKind, string> = { owner: 'fno', client: 'fnc' }

/** What a token gives access to now. `catalog_seq` says which state of the catalog belongs to it. */
export type TokenState =
  | (KnownToken & { kind: 'owner' })
  | (KnownToken & { kind: 'client'; grants: GrantState[] })

interface KnownToken {
  owner_id: string
  token_hash: string
  /** When the token itself ends, whatever its grants say. */
  expires_at: string | null
  catalog_seq: number
}

/** A token whose grants have all ended, and how the last of them ended. */
export interface EndedToken {
  kind: 'ended'
  by: keyof typeof ENDED_ACCESS
}

export function newToken(kind: TokenKind, owner_id: string): string {
  return `${PREFIX[kind]}_${owner_id}_${randomBytes(32).toString('base64url')}`
}

/** The owner that a token names, without any proof. Null if it is not one of our tokens. */
function ownerNamedBy(token: string): string | null {
  return /^fn[oc]_(o[a-z0-9]{1,16})_[A-Za-z0-9_-]{43}$/.exec(token)?.[1] ?? null
}

export async function createOwnerToken(
  database: Database,
  args: { owner_id: string; now: string },
): Promise<string> {
  const token = newToken('owner', args.owner_id)
  const { owner_id, now } = args
  await database.insert(TOKENS, [{ owner_id, token_hash: hashOf(token), kind: 'owner', created_at: now }])
  return token
}

/** Writes grants for a client, which is created if its name is new, and one token for all of them. */
export async function createGrants(
  database: Database,
  args: { owner_id: string; client_name: string; terms: readonly GrantTerms[]; now: string },
): Promise<{ client_id: string; access_token: string; grants: Grant[] }> {
  const { owner_id, client_name, now } = args
  return lockedTransaction(database, owner_id, async transaction => {
    const client_id = await ensureClient(transaction, owner_id, client_name, now)
    const client = { client_id, client_display: { name: client_name } }
    const grants: Grant[] = []
    for (const terms of args.terms)
      grants.push(await insertGrant(transaction, { owner_id, client, terms, now }))
    const grant_ids = grants.map(({ grant_id }) => grant_id)
    const access_token = await insertClientToken(transaction, { owner_id, grant_ids, now })
    return { client_id, access_token, grants }
  })
}

/** A token for several grants; the resource server enforces each of them. */
export function createClientToken(
  database: Database,
  args: { owner_id: string; grant_ids: string[]; now: string },
): Promise<string> {
  return database.transaction(transaction => insertClientToken(transaction, args))
}

const SINGLE_USE_MS = 60 * 60_000

async function insertClientToken(
  transaction: Transaction,
  args: { owner_id: string; grant_ids: string[]; now: string },
): Promise<string> {
  const { owner_id, grant_ids, now } = args
  const token = newToken('client', owner_id)
  const isSingleUse = await consumeGrants(transaction, { owner_id, grant_ids, now })
  const expires_at = isSingleUse ? new Date(Date.parse(now) + SINGLE_USE_MS).toISOString() : null
  await insertToken(transaction, { owner_id, token_hash: hashOf(token), expires_at, grant_ids, now })
  return token
}

/** Binds a token to its grants; false if the token already existed. */
export async function insertToken(
  transaction: Transaction,
  args: {
    owner_id: string
    token_hash: string
    expires_at: string | null
    grant_ids: readonly string[]
    now: string
  },
): Promise<boolean> {
  const { owner_id, token_hash, expires_at, grant_ids, now } = args
  const made = await transaction.insertNew(TOKENS, [
    { owner_id, token_hash, kind: 'client', created_at: now, expires_at },
  ])
  await transaction.insertNew(
    TOKEN_GRANTS,
    grant_ids.map(grant_id => ({ owner_id, token_hash, grant_id })),
  )
  return made > 0
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

/**
 * What a token gives access to now; null if it is unknown or expired. A token whose grants have all ended is still
 * known, so that its client learns why it is refused.
 */
export async function resolveToken(
  database: Queryable,
  token: string,
  now: Date,
): Promise<TokenState | EndedToken | null> {
  const owner_id = ownerNamedBy(token)
  if (!owner_id) return null
  const token_hash = hashOf(token)
  const rows = await database.all<ResolvedRow>(RESOLVE, [owner_id, token_hash])
  const [first] = rows
  if (!first) return null
  const { kind, catalog_seq, token_expires_at: expires_at } = first
  if (isExpired({ expires_at }, now)) return null
  const known = { owner_id, token_hash, expires_at, catalog_seq }
  if (kind === 'owner') return { kind, ...known }
  const grants = rows.filter(row => row.grant_id !== null).map(grantOf)
  const active = grants.filter(grant => isActive(grant, now))
  if (active.length > 0) return { kind, ...known, grants: active }
  if (grants.length === 0) return null
  return {
    kind: 'ended',
    by: grants.some(grant => !isExpired(grant, now)) ? 'grant_revoked' : 'grant_expired',
  }
}

/** An owner's token as it can be listed: the secret itself is not stored. */
export interface OwnerToken {
  token_id: string
  created_at: string
}

/** The name of a token. It gives no access. */
export function tokenId(token: string): string {
  return idOf(hashOf(token))
}

function idOf(token_hash: string): string {
  return `tok_${token_hash.slice(0, 16)}`
}

function ownerTokens(
  database: Queryable,
  owner_id: string,
): Promise<Pick<Row<typeof TOKENS>, 'token_hash' | 'created_at'>[]> {
  const order = ['created_at', 'token_hash'] as const
  return listRows(database, TOKENS, ['token_hash', 'created_at'], { owner_id, kind: 'owner' }, order)
}

export async function listOwnerTokens(database: Queryable, owner_id: string): Promise<OwnerToken[]> {
  const rows = await ownerTokens(database, owner_id)
  return rows.map(({ token_hash, created_at }) => ({ token_id: idOf(token_hash), created_at }))
}

/** Ends a token; false if there is no such token. */
export async function revokeOwnerToken(
  database: Database,
  { owner_id, token_id }: { owner_id: string; token_id: string },
): Promise<boolean> {
  const found = (await ownerTokens(database, owner_id)).find(
    ({ token_hash }) => idOf(token_hash) === token_id,
  )
  if (!found) return false
  await deleteRows(database, TOKENS, { owner_id, token_hash: found.token_hash })
  return true
}
