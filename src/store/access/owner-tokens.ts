import type { Database } from '../engine/database.ts'
import { hashOf } from '../engine/identifiers.ts'
import type { Row } from '../engine/table.ts'
import type { TOKENS } from './tables.ts'

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
  database: Database,
  owner_id: string,
): Promise<Pick<Row<typeof TOKENS>, 'token_hash' | 'created_at'>[]> {
  return database.all(
    `SELECT token_hash, created_at FROM tokens WHERE owner_id = ? AND kind = 'owner'
     ORDER BY created_at, token_hash`,
    [owner_id],
  )
}

export async function listOwnerTokens(database: Database, owner_id: string): Promise<OwnerToken[]> {
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
  await database.run('DELETE FROM tokens WHERE owner_id = ? AND token_hash = ?', [owner_id, found.token_hash])
  return true
}
