import {
  endedAccess,
  GRANT_VERSION,
  type Grant,
  type GrantState,
  type GrantTerms,
} from '../../model/access/grant.ts'
import { CodedError } from '../../model/errors.ts'
import { isObject } from '../../model/json.ts'
import type { Database, Queryable, Transaction } from '../engine/database.ts'
import { randomId } from '../engine/identifiers.ts'
import { findRow, listRows } from '../engine/rows.ts'
import { noteEvent } from './audit.ts'
import { CONSENT_GRANTS, GRANTS } from './tables.ts'

export type GrantRow = Omit<GrantState, 'access_mode'> & { single_use: number }

const COLUMNS =
  'g.grant_id, g.client_id, g.created_at, g.expires_at, g.single_use, g.consumed_at, g.revoked_at'

export const GRANT_STATE = `${COLUMNS}, c.name AS client_name`

/** A grant as it was made, and whether it is active. */
export type HeldRow = GrantRow & { content: string }
/** Without the name of its client. */
export const HELD_GRANT = `${COLUMNS}, '' AS client_name, g.content`

/** The grants `g` of consents `co`. */
export const GRANTS_OF_CONSENTS = `consents co
  JOIN consent_grants cg ON cg.owner_id = co.owner_id AND cg.consent_id = co.consent_id
  JOIN grants g ON g.owner_id = cg.owner_id AND g.grant_id = cg.grant_id`

export function stateOf({ single_use, ...row }: GrantRow): GrantState {
  return { ...row, access_mode: single_use === 1 ? 'single_use' : 'continuous' }
}

/** The ids of the grants of a consent, whether they are active or not. */
export async function grantsOfConsent(
  database: Queryable,
  { owner_id, consent_id }: { owner_id: string; consent_id: string },
): Promise<string[]> {
  const consent = { owner_id, consent_id }
  const rows = await listRows(database, CONSENT_GRANTS, ['grant_id'], consent, ['grant_id'])
  return rows.map(row => row.grant_id)
}

export interface NewGrant {
  owner_id: string
  client: Grant['client']
  terms: GrantTerms
  now: string
}

/** Writes a grant that the owner made, and records it in the audit trail. */
export async function insertGrant(
  transaction: Transaction,
  { owner_id, client, terms, now }: NewGrant,
  detail: string | null = null,
): Promise<Grant> {
  const grant: Grant = {
    version: GRANT_VERSION,
    grant_id: randomId('grt_', 10),
    issued_at: now,
    subject: { id: owner_id },
    client,
    ...terms,
  }
  const { grant_id, access_mode, expires_at = null } = grant
  const { client_id } = client
  await transaction.insert(GRANTS, [
    {
      owner_id,
      grant_id,
      client_id,
      created_at: now,
      expires_at,
      single_use: access_mode === 'single_use' ? 1 : 0,
      content: JSON.stringify(grant),
    },
  ])
  await noteEvent(transaction, owner_id, {
    at: now,
    event: 'grant_made',
    actor: 'owner',
    client_id,
    grant_id,
    detail,
  })
  return grant
}

/** Marks the single-use grants among these as used, and says whether there are any. Refused if one was already used. */
export async function consumeGrants(
  transaction: Transaction,
  { owner_id, grant_ids, now }: { owner_id: string; grant_ids: readonly string[]; now: string },
): Promise<boolean> {
  let any = false
  for (const grant_id of grant_ids) {
    const grant = await findRow(transaction, GRANTS, ['single_use'], { owner_id, grant_id })
    if (grant?.single_use !== 1) continue
    any = true
    const consumed = await transaction.get<{ client_id: string }>(
      `UPDATE grants SET consumed_at = ? WHERE owner_id = ? AND grant_id = ? AND consumed_at IS NULL
       RETURNING client_id`,
      [now, owner_id, grant_id],
    )
    if (!consumed) throw new CodedError('grant_consumed', 'This access was for a single use and is used up.')
    const event = { at: now, event: 'grant_consumed', actor: 'client', grant_id, ...consumed } as const
    await noteEvent(transaction, owner_id, event)
  }
  return any
}

export async function revokeGrant(
  database: Database,
  args: { owner_id: string; grant_id: string; now: string },
): Promise<GrantState> {
  await database.transaction(transaction => endGrant(transaction, { ...args, actor: 'owner' }))
  const { grant: _, ...state } = await readGrant(database, args)
  return state
}

/** Ends a grant. The audit trail keeps the first reason it ended. */
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

/**
 * A grant with its state. The grant itself is null if it is stored in a form that this version does not know; it gives no
 * access then.
 */
export type WholeGrant = GrantState & { grant: Grant | null }

const WHOLE_GRANTS = `SELECT ${GRANT_STATE}, g.content FROM grants g
  JOIN clients c ON c.owner_id = g.owner_id AND c.client_id = g.client_id WHERE g.owner_id = ?`

export async function listGrants(database: Queryable, owner_id: string): Promise<WholeGrant[]> {
  const rows = await database.all<HeldRow>(`${WHOLE_GRANTS} ORDER BY g.created_at, g.grant_id`, [owner_id])
  return rows.map(wholeOf)
}

export async function readGrant(
  database: Queryable,
  { owner_id, grant_id }: { owner_id: string; grant_id: string },
): Promise<WholeGrant> {
  const row = await database.get<HeldRow>(`${WHOLE_GRANTS} AND g.grant_id = ?`, [owner_id, grant_id])
  if (!row) throw new CodedError('grant_not_found', `There is no grant ${grant_id}.`)
  return wholeOf(row)
}

function wholeOf({ content, ...state }: HeldRow): WholeGrant {
  const grant: unknown = JSON.parse(content)
  const isKnown = isObject(grant) && grant.version === GRANT_VERSION
  return { ...stateOf(state), grant: isKnown ? (grant as unknown as Grant) : null }
}

/** The grant that a token is bound to; a grant in an unknown form is not interpreted. */
export async function readGrantBody(database: Queryable, owner_id: string, grant_id: string): Promise<Grant> {
  const { grant } = await readGrant(database, { owner_id, grant_id })
  if (grant) return grant
  throw endedAccess('authorization_state.unsupported_legacy_shape')
}
