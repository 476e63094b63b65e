import { CodedError } from '../model/errors.ts'
import type { GrantedStream } from '../model/grant.ts'
import { noteEvent } from './audit.ts'
import type { Database } from './database.ts'
import { hashOf, randomId } from './identifiers.ts'
import { type Artifact, writeArtifact } from './oauth-artifacts.ts'

export interface Decision {
  owner_id: string
  /** The request that was decided; it can be decided once. */
  interaction: string
  client_id: string
  client_name: string
  /** One grant each, so that a source can be removed alone. */
  grants: GrantedStream[][]
  expires_at: string | null
  single_use: boolean
  /** The OAuth grant that tokens will hang on. */
  artifact: Artifact
  now: string
}

/** Writes what the owner decided: client, grants, the OAuth grant and the audit trail, all or nothing. */
export async function decideConsent(database: Database, decision: Decision): Promise<string[]> {
  const { owner_id, client_id, client_name, artifact, now } = decision
  const consent_id = artifact.id
  return database.transaction(async transaction => {
    const made = await transaction.run(
      `INSERT INTO consents (owner_id, consent_id, client_id, interaction_hash, decided_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
      [owner_id, consent_id, client_id, hashOf(decision.interaction), now],
    )
    if (made === 0) throw new CodedError('consent_decided', 'This request was already decided.')
    await transaction.run(
      `INSERT INTO clients (owner_id, client_id, name, created_at, origin) VALUES (?, ?, ?, ?, 'oauth')
       ON CONFLICT (owner_id, client_id) DO UPDATE SET name = excluded.name`,
      [owner_id, client_id, client_name, now],
    )
    const ids: string[] = []
    for (const streams of decision.grants) {
      const grant_id = randomId('grt_', 10)
      ids.push(grant_id)
      await transaction.run(
        `INSERT INTO grants (owner_id, grant_id, client_id, created_at, expires_at, single_use, streams)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        [
          owner_id,
          grant_id,
          client_id,
          now,
          decision.expires_at,
          decision.single_use ? 1 : 0,
          JSON.stringify(streams),
        ],
      )
      await transaction.run('INSERT INTO consent_grants (owner_id, consent_id, grant_id) VALUES (?, ?, ?)', [
        owner_id,
        consent_id,
        grant_id,
      ])
      await noteEvent(transaction, owner_id, {
        at: now,
        event: 'grant_made',
        actor: 'owner',
        client_id,
        grant_id,
      })
    }
    await writeArtifact(transaction, artifact)
    return ids
  })
}

export async function noteDenial(
  database: Database,
  args: { owner_id: string; client_id: string; now: string },
): Promise<void> {
  const { owner_id, client_id, now } = args
  await noteEvent(database, owner_id, { at: now, event: 'consent_denied', actor: 'owner', client_id })
}
