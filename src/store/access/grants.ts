import type { Grant, GrantedStream, GrantState } from '../../model/access/grant.ts'
import { CodedError } from '../../model/errors.ts'
import type { Database, Queryable, Transaction } from '../engine/database.ts'
import { randomId } from '../engine/identifiers.ts'
import { noteEvent } from './audit.ts'
import { GRANTS } from './tables.ts'

export type GrantRow = Omit<GrantState, 'single_use'> & { single_use: number }

export const GRANT_STATE = `g.grant_id, g.client_id, c.name AS client_name, g.created_at, g.expires_at, g.single_use,
  g.first_used_at, g.revoked_at`

export function stateOf(row: GrantRow): GrantState {
  return { ...row, single_use: row.single_use === 1 }
}

export interface NewGrant {
  owner_id: string
  client_id: string
  streams: GrantedStream[]
  expires_at: string | null
  single_use: boolean
  now: string
}

/** Writes a grant that the owner made, and notes it in the audit trail. */
export async function insertGrant(transaction: Transaction, grant: NewGrant): Promise<string> {
  const { owner_id, client_id, streams, expires_at, single_use, now } = grant
  const grant_id = randomId('grt_', 10)
  await transaction.insert(GRANTS, [
    {
      owner_id,
      grant_id,
      client_id,
      created_at: now,
      expires_at,
      single_use: single_use ? 1 : 0,
      streams: JSON.stringify(streams),
    },
  ])
  await noteEvent(transaction, owner_id, {
    at: now,
    event: 'grant_made',
    actor: 'owner',
    client_id,
    grant_id,
  })
  return grant_id
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
  transaction: Transaction,
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

export async function listGrants(database: Queryable, owner_id: string): Promise<GrantState[]> {
  const rows = await database.all<GrantRow>(
    `SELECT ${GRANT_STATE} FROM grants g JOIN clients c ON c.owner_id = g.owner_id AND c.client_id = g.client_id
     WHERE g.owner_id = ? ORDER BY g.created_at, g.grant_id`,
    [owner_id],
  )
  return rows.map(stateOf)
}

export async function readGrant(
  database: Queryable,
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
export async function readGrantBody(database: Queryable, owner_id: string, grant_id: string): Promise<Grant> {
  const { state, streams } = await readGrant(database, { owner_id, grant_id })
  return { grant_id, client_id: state.client_id, streams }
}
