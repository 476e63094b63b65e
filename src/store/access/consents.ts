import { type Grant, type GrantedStream, type GrantTerms, isActive } from '../../model/access/grant.ts'
import { CodedError } from '../../model/errors.ts'
import type { Database, Queryable, Transaction, Writable } from '../engine/database.ts'
import { hashOf } from '../engine/identifiers.ts'
import { lockedTransaction } from '../engine/owner-row.ts'
import { changeRows, deleteRows, findRow } from '../engine/rows.ts'
import { noteEvent } from './audit.ts'
import {
  endGrant,
  GRANTS_OF_CONSENTS,
  grantsOfConsent,
  HELD_GRANT,
  type HeldRow,
  insertGrant,
  readGrant,
  stateOf,
} from './grants.ts'
import { type Artifact, writeArtifact } from './oauth-artifacts.ts'
import { CLIENTS, CONSENT_GRANTS, CONSENTS, OAUTH_ARTIFACTS } from './tables.ts'

export interface Decision {
  owner_id: string
  /** The request that was decided. It can be decided only once. */
  interaction: string
  client_id: string
  client_name: string
  grants: GrantTerms[]
  /** Whether reuse of a replaced refresh token ends the consent at once. */
  strict: boolean
  /** What the owner was shown and did; stored unchanged. */
  evidence: object
  /** The OAuth grant that tokens will belong to. */
  artifact: Artifact
  now: string
}

/** Writes the owner's decision: client, grants, the OAuth grant and the audit trail, in one transaction. */
export async function decideConsent(database: Database, decision: Decision): Promise<Grant[]> {
  const { owner_id, client_id, client_name, strict, evidence, artifact, now } = decision
  const consent_id = artifact.id
  return database.transaction(async transaction => {
    const interaction_hash = hashOf(decision.interaction)
    const made = await transaction.insertNew(CONSENTS, [
      {
        owner_id,
        consent_id,
        client_id,
        interaction_hash,
        decided_at: now,
        strict: strict ? 1 : 0,
        evidence: JSON.stringify(evidence),
      },
    ])
    if (made === 0) throw new CodedError('consent_decided', 'This request was already decided.')
    await transaction.upsert(
      CLIENTS,
      [{ owner_id, client_id, name: client_name, created_at: now, origin: 'oauth' }],
      'name = excluded.name',
    )
    const registration = { owner_id, model: 'Client', artifact_key: client_id }
    await changeRows(transaction, OAUTH_ARTIFACTS, { asked_from: null }, registration)
    const client = { client_id, client_display: { name: client_name } }
    const grants: Grant[] = []
    for (const terms of decision.grants) {
      const grant = await insertGrant(transaction, { owner_id, client, terms, now })
      grants.push(grant)
      await transaction.insert(CONSENT_GRANTS, [{ owner_id, consent_id, grant_id: grant.grant_id }])
    }
    await writeArtifact(transaction, artifact)
    return grants
  })
}

/** A client that never had access is stored nowhere, so its name is kept here. */
export async function noteDenial(
  database: Writable,
  args: { owner_id: string; client_id: string; client_name: string; now: string },
): Promise<void> {
  const { owner_id, client_id, client_name, now } = args
  const event = { at: now, event: 'consent_denied', actor: 'owner', client_id, detail: client_name } as const
  await noteEvent(database, owner_id, event)
}

/** Ends a consent and all its grants. */
export async function endConsent(
  database: Database,
  args: { owner_id: string; consent_id: string; actor: 'owner' | 'client' | 'server'; now: string },
): Promise<void> {
  const { owner_id, consent_id, actor, now } = args
  // Locked, so that no grant is added to the consent meanwhile.
  await lockedTransaction(database, owner_id, async transaction => {
    const grant_ids = await grantsOfConsent(transaction, args)
    if (actor === 'server') {
      const consent = await findRow(transaction, CONSENTS, ['client_id'], { owner_id, consent_id })
      const { client_id = null } = consent ?? {}
      await noteEvent(transaction, owner_id, { at: now, event: 'refresh_reuse_detected', actor, client_id })
    }
    for (const grant_id of grant_ids) await endGrant(transaction, { owner_id, grant_id, actor, now })
    await deleteRows(transaction, OAUTH_ARTIFACTS, { owner_id, model: 'Grant', artifact_key: consent_id })
  })
}

export interface ConsentState {
  strict: boolean
  /** Its grants that are still active, as they were made. */
  active: Grant[]
}

/** A consent and its active grants; null if it is unknown. */
export async function readConsent(
  database: Queryable,
  args: { owner_id: string; consent_id: string; now: Date },
): Promise<ConsentState | null> {
  const rows = await database.all<HeldRow & { strict: number }>(
    `SELECT co.strict, ${HELD_GRANT} FROM ${GRANTS_OF_CONSENTS} WHERE co.owner_id = ? AND co.consent_id = ?`,
    [args.owner_id, args.consent_id],
  )
  const [first] = rows
  if (!first) return null
  const active = rows.filter(row => isActive(stateOf(row), args.now))
  return { strict: first.strict === 1, active: active.map(({ content }) => JSON.parse(content) as Grant) }
}

export interface Replacement {
  owner_id: string
  grant_id: string
  streams: GrantedStream[]
  /** When the new grant ends; null means never. */
  expires_at: string | null
  now: string
}

/**
 * Replaces a grant with one that has other terms; the old one ends. Tokens of the old grant keep working with the new
 * one, so the app does not have to ask again. Grants themselves never change.
 */
export function replaceGrant(database: Database, args: Replacement): Promise<Grant> {
  const { owner_id, grant_id, streams, expires_at, now } = args
  return lockedTransaction(database, owner_id, async transaction => {
    const { grant, ...state } = await readGrant(transaction, args)
    if (!grant || !isActive(state, new Date(now)))
      throw new CodedError('grant_not_found', 'That access was already removed.')
    await assertOwnTerms(transaction, args)
    const { version: _, grant_id: __, issued_at: ___, subject: ____, client, ...before } = grant
    const { expires_at: _____, ...terms } = before
    const made = await insertGrant(transaction, {
      owner_id,
      client,
      terms: { ...terms, streams, ...(expires_at === null ? {} : { expires_at }) },
      now,
    })
    for (const [table, key] of [
      ['consent_grants', 'consent_id'],
      ['token_grants', 'token_hash'],
    ])
      await transaction.run(
        `INSERT INTO ${table} (owner_id, ${key}, grant_id)
         SELECT owner_id, ${key}, CAST(? AS TEXT) FROM ${table} WHERE owner_id = ? AND grant_id = ?`,
        [made.grant_id, owner_id, grant_id],
      )
    await endGrant(transaction, { owner_id, grant_id, actor: 'owner', now })
    await letTokensLast(transaction, { owner_id, grant_id: made.grant_id, expires_at })
    return made
  })
}

/** A client that asked for exact terms must ask again for different ones. So must a client with a single-use grant. */
async function assertOwnTerms(
  transaction: Queryable,
  { owner_id, grant_id }: Pick<Replacement, 'owner_id' | 'grant_id'>,
): Promise<void> {
  const exact = await transaction.get(
    `SELECT 1 AS one FROM consent_grants cg
     JOIN consents c ON c.owner_id = cg.owner_id AND c.consent_id = cg.consent_id
     WHERE cg.owner_id = ? AND cg.grant_id = ? AND c.strict = 1
     UNION ALL SELECT 1 AS one FROM grants WHERE owner_id = ? AND grant_id = ? AND single_use = 1`,
    [owner_id, grant_id, owner_id, grant_id],
  )
  if (!exact) return
  const message =
    'This app asked for exact terms, which cannot be changed. Remove the access and let the app ask again.'
  throw new CodedError('client_must_ask', message)
}

const LONGEST_SECONDS = 3_650 * 86_400

/** When the OAuth grant of a consent ends, in seconds, like its beginning: with our grants, or ten years later. */
export function oauthEnd(iat: number, expires_at: string | null): number {
  return expires_at === null ? iat + LONGEST_SECONDS : Math.floor(Date.parse(expires_at) / 1000)
}

/** The OAuth grant of the same consent must not end before the new grant does. */
async function letTokensLast(
  transaction: Transaction,
  { owner_id, grant_id, expires_at }: { owner_id: string; grant_id: string; expires_at: string | null },
): Promise<void> {
  const rows = await transaction.all<{ artifact_key: string; payload: string }>(
    `SELECT a.artifact_key, a.payload FROM oauth_artifacts a
     JOIN consent_grants cg ON cg.owner_id = a.owner_id AND cg.consent_id = a.artifact_key
     WHERE a.owner_id = ? AND a.model = 'Grant' AND cg.grant_id = ?`,
    [owner_id, grant_id],
  )
  for (const { artifact_key, payload } of rows) {
    const kept = JSON.parse(payload) as { iat: number; exp: number }
    const wanted = oauthEnd(kept.iat, expires_at)
    if (wanted <= kept.exp) continue
    const extended = { payload: JSON.stringify({ ...kept, exp: wanted }) }
    await changeRows(transaction, OAUTH_ARTIFACTS, extended, { owner_id, model: 'Grant', artifact_key })
  }
}

/**
 * What a client that asked before can read now or, if nothing, what it could read until that expired. Access that the
 * owner removed is left out.
 */
export async function lastGrants(
  database: Queryable,
  args: { owner_id: string; client_id: string; now: Date },
): Promise<Grant[]> {
  const rows = await database.all<HeldRow & { consent_id: string }>(
    `SELECT cg.consent_id, ${HELD_GRANT} FROM ${GRANTS_OF_CONSENTS}
     WHERE co.owner_id = ? AND co.client_id = ? AND g.revoked_at IS NULL AND g.single_use = 0
     ORDER BY co.decided_at DESC, cg.consent_id`,
    [args.owner_id, args.client_id],
  )
  const active = rows.filter(row => isActive(stateOf(row), args.now))
  const last = rows.filter(({ consent_id }) => consent_id === rows[0]?.consent_id)
  return (active.length > 0 ? active : last).map(({ content }) => JSON.parse(content) as Grant)
}
