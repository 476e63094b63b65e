import { type Grant, type GrantTerms, isActive } from '../../model/access/grant.ts'
import { CodedError } from '../../model/errors.ts'
import type { Database, Queryable } from '../engine/database.ts'
import { hashOf } from '../engine/identifiers.ts'
import { lockedTransaction } from '../engine/owner-lock.ts'
import { noteEvent } from './audit.ts'
import { endGrant, type GrantRow, insertGrant, stateOf } from './grants.ts'
import { type Artifact, writeArtifact } from './oauth-artifacts.ts'
import { CLIENTS, CONSENT_GRANTS, CONSENTS } from './tables.ts'

export interface Decision {
  owner_id: string
  /** The request that was decided; it can be decided once. */
  interaction: string
  client_id: string
  client_name: string
  grants: GrantTerms[]
  /** Whether a refresh token that was replaced ends the consent at once. */
  strict: boolean
  /** What the owner was shown and did; kept as it is. */
  evidence: object
  /** The OAuth grant that tokens will hang on. */
  artifact: Artifact
  now: string
}

/** Writes what the owner decided: client, grants, the OAuth grant and the audit trail, all or nothing. */
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
    await transaction.run(
      `UPDATE oauth_artifacts SET asked_from = NULL WHERE owner_id = ? AND model = 'Client' AND artifact_key = ?`,
      [owner_id, client_id],
    )
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

export async function noteDenial(
  database: Queryable,
  args: { owner_id: string; client_id: string; now: string },
): Promise<void> {
  const { owner_id, client_id, now } = args
  await noteEvent(database, owner_id, { at: now, event: 'consent_denied', actor: 'owner', client_id })
}

/** Ends a consent with every grant of it. */
export async function endConsent(
  database: Database,
  args: { owner_id: string; consent_id: string; actor: 'owner' | 'client' | 'server'; now: string },
): Promise<void> {
  const { owner_id, consent_id, actor, now } = args
  // Locked, so that no grant is added to the consent meanwhile.
  await lockedTransaction(database, owner_id, async transaction => {
    const grant_ids = await grantsOfConsent(transaction, args)
    if (actor === 'server') {
      const consent = await transaction.get<{ client_id: string }>(
        'SELECT client_id FROM consents WHERE owner_id = ? AND consent_id = ?',
        [owner_id, consent_id],
      )
      const { client_id = null } = consent ?? {}
      await noteEvent(transaction, owner_id, { at: now, event: 'refresh_reuse_detected', actor, client_id })
    }
    for (const grant_id of grant_ids) await endGrant(transaction, { owner_id, grant_id, actor, now })
    await transaction.run(
      `DELETE FROM oauth_artifacts WHERE owner_id = ? AND model = 'Grant' AND artifact_key = ?`,
      [owner_id, consent_id],
    )
  })
}

export async function grantsOfConsent(
  database: Queryable,
  { owner_id, consent_id }: { owner_id: string; consent_id: string },
): Promise<string[]> {
  const rows = await database.all<{ grant_id: string }>(
    'SELECT grant_id FROM consent_grants WHERE owner_id = ? AND consent_id = ? ORDER BY grant_id',
    [owner_id, consent_id],
  )
  return rows.map(row => row.grant_id)
}

export interface ConsentState {
  strict: boolean
  /** Its grants that still open something, each as it was made. */
  active: Grant[]
}

/** A consent with what of it is in force; null when it is unknown. */
export async function readConsent(
  database: Queryable,
  args: { owner_id: string; consent_id: string; now: Date },
): Promise<ConsentState | null> {
  const rows = await database.all<GrantRow & { strict: number; content: string }>(
    `SELECT co.strict, g.grant_id, g.client_id, '' AS client_name, g.created_at, g.expires_at, g.single_use,
       g.consumed_at, g.revoked_at, g.content
     FROM consents co
     JOIN consent_grants cg ON cg.owner_id = co.owner_id AND cg.consent_id = co.consent_id
     JOIN grants g ON g.owner_id = cg.owner_id AND g.grant_id = cg.grant_id
     WHERE co.owner_id = ? AND co.consent_id = ?`,
    [args.owner_id, args.consent_id],
  )
  const [first] = rows
  if (!first) return null
  const active = rows.filter(row => isActive(stateOf(row), args.now))
  return { strict: first.strict === 1, active: active.map(({ content }) => JSON.parse(content) as Grant) }
}
