import type { Database, Queryable, Transaction, Writable } from '../engine/database.ts'
import { hashOf } from '../engine/identifiers.ts'
import { lockedTransaction } from '../engine/owner-row.ts'
import { deleteRows, findRow } from '../engine/rows.ts'
import type { Row } from '../engine/table.ts'
import { consumeGrants, grantsOfConsent } from './grants.ts'
import { OAUTH_ARTIFACTS } from './tables.ts'
import { insertToken } from './tokens.ts'

/** What OAuth stores between requests: clients, consents, codes, tokens, pushed requests. */
export interface Artifact {
  owner_id: string
  model: string
  id: string
  payload: Record<string, unknown>
  /** The consent it came from, if any. */
  consent_id: string | null
  /** A second name to find it by: a user code, or a session's uid. */
  lookup: string | null
  /** Whether the resource server also looks up its value, as for a client token. */
  opens: boolean
  /** Who requested it, if the owner has not approved it yet. */
  asked_from: string | null
  now: string
  expires_at: string | null
}

/** These ids are not secret: they appear in URLs and lists. The others are credentials and are stored as hashes. */
const PUBLIC_IDS = new Set(['Client', 'Grant'])

function keyOf(model: string, id: string): string {
  return PUBLIC_IDS.has(model) ? id : hashOf(id)
}

export async function saveArtifact(database: Database, artifact: Artifact): Promise<void> {
  const { owner_id, model, asked_from, now } = artifact
  if (asked_from !== null) await makeRoom(database, { owner_id, model, asked_from, now })
  const write = (transaction: Transaction) => writeArtifact(transaction, artifact)
  // A token gets the grants of its consent, and the owner may be adding one at the same time.
  await (artifact.opens ? lockedTransaction(database, owner_id, write) : database.transaction(write))
}

export async function writeArtifact(transaction: Transaction, artifact: Artifact): Promise<void> {
  const { owner_id, model, id, payload, consent_id, lookup, opens, asked_from, now, expires_at } = artifact
  await transaction.upsert(
    OAUTH_ARTIFACTS,
    [
      {
        owner_id,
        model,
        artifact_key: keyOf(model, id),
        consent_id,
        lookup_key: lookup && hashOf(lookup),
        payload: JSON.stringify(payload),
        created_at: now,
        expires_at,
        asked_from,
      },
    ],
    `consent_id = excluded.consent_id, payload = excluded.payload, expires_at = excluded.expires_at,
     lookup_key = coalesce(excluded.lookup_key, t.lookup_key), asked_from = excluded.asked_from`,
  )
  if (!opens || consent_id === null) return
  const grant_ids = await grantsOfConsent(transaction, { owner_id, consent_id })
  const isNew = await insertToken(transaction, {
    owner_id,
    token_hash: hashOf(id),
    expires_at,
    grant_ids,
    now,
  })
  if (isNew) await consumeGrants(transaction, { owner_id, grant_ids, now })
}

export type FoundArtifact = Pick<Row<typeof OAUTH_ARTIFACTS>, 'consent_id' | 'consumed_at'> & {
  payload: Record<string, unknown>
}

export async function findArtifact(
  database: Queryable,
  args: { owner_id: string; model: string; by: 'id' | 'lookup'; value: string },
): Promise<FoundArtifact | undefined> {
  const { owner_id, model, by, value } = args
  // PostgreSQL cannot store NUL in text.
  if (value.includes('\0')) return undefined
  const key = by === 'id' ? { artifact_key: keyOf(model, value) } : { lookup_key: hashOf(value) }
  const columns = ['payload', 'consent_id', 'consumed_at'] as const
  const row = await findRow(database, OAUTH_ARTIFACTS, columns, { owner_id, model, ...key })
  return row && { ...row, payload: JSON.parse(row.payload) }
}

/** Marks a single-use artifact as used; false if it was already used. The time of the first use is kept. */
export async function consumeArtifact(
  database: Writable,
  args: { owner_id: string; model: string; id: string; now: string },
): Promise<boolean> {
  const changed = await database.run(
    `UPDATE oauth_artifacts SET consumed_at = ?
     WHERE owner_id = ? AND model = ? AND artifact_key = ? AND consumed_at IS NULL`,
    [args.now, args.owner_id, args.model, keyOf(args.model, args.id)],
  )
  return changed > 0
}

export async function destroyArtifact(
  database: Writable,
  { owner_id, model, id }: { owner_id: string; model: string; id: string },
): Promise<void> {
  await deleteRows(database, OAUTH_ARTIFACTS, { owner_id, model, artifact_key: keyOf(model, id) })
}

/** Ends the artifacts of one model that came from a consent. */
export async function revokeArtifacts(
  database: Writable,
  { owner_id, model, consent_id }: { owner_id: string; model: string; consent_id: string },
): Promise<void> {
  await deleteRows(database, OAUTH_ARTIFACTS, { owner_id, consent_id, model })
}

/** Deletes expired artifacts, and clients that registered before `idle` and were never approved. */
export async function forgetArtifacts(
  database: Database,
  args: { owner_id: string; now: string; idle: string },
): Promise<void> {
  const { owner_id, now, idle } = args
  await database.transaction(async transaction => {
    // In the same order as in every transaction that removes tokens, so that they cannot deadlock.
    await transaction.run('DELETE FROM oauth_artifacts WHERE owner_id = ? AND expires_at <= ?', [
      owner_id,
      now,
    ])
    await transaction.run(
      `DELETE FROM token_grants WHERE owner_id = ? AND token_hash IN (
         SELECT token_hash FROM tokens WHERE owner_id = ? AND expires_at <= ?)`,
      [owner_id, owner_id, now],
    )
    await transaction.run('DELETE FROM tokens WHERE owner_id = ? AND expires_at <= ?', [owner_id, now])
    await transaction.run(
      `DELETE FROM oauth_artifacts WHERE owner_id = ? AND model = 'Client' AND created_at < ?
       AND NOT EXISTS (SELECT 1 FROM consents c WHERE c.owner_id = oauth_artifacts.owner_id
         AND c.client_id = oauth_artifacts.artifact_key)`,
      [owner_id, idle],
    )
    await transaction.run('DELETE FROM sign_in_links WHERE owner_id = ? AND expires_at <= ?', [owner_id, now])
    for (const table of ['owner_sessions', 'used_challenges'])
      await transaction.run(`DELETE FROM ${table} WHERE owner_id = ? AND expires_at <= ?`, [owner_id, now])
  })
}

/** Limits on what OAuth stores for requests that nobody has approved yet: per kind, and per caller. */
const MOST = 1_000
const MOST_OF_ONE = 100

interface Place {
  owner_id: string
  model: string
  asked_from: string
  now: string
}

/**
 * Frees space for one more artifact. Expired ones are removed first, then the oldest of this caller if it has too many,
 * otherwise the oldest of the caller with the most. So a flood replaces its own artifacts, and nobody is refused.
 */
async function makeRoom(database: Database, place: Place): Promise<void> {
  if (fits(await counts(database, place))) return
  const { owner_id, model, now } = place
  await lockedTransaction(database, owner_id, async transaction => {
    await transaction.run(
      'DELETE FROM oauth_artifacts WHERE owner_id = ? AND model = ? AND asked_from IS NOT NULL AND expires_at <= ?',
      [owner_id, model, now],
    )
    const { own, all, most } = await counts(transaction, place)
    if (fits({ own, all })) return
    const [asker, excess] =
      own >= MOST_OF_ONE ? [place.asked_from, own - MOST_OF_ONE + 1] : [most, all - MOST + 1]
    await transaction.run(
      `DELETE FROM oauth_artifacts WHERE owner_id = ? AND model = ? AND artifact_key IN (
         SELECT artifact_key FROM oauth_artifacts WHERE owner_id = ? AND model = ? AND asked_from = ?
         ORDER BY created_at LIMIT ?)`,
      [owner_id, model, owner_id, model, asker, excess],
    )
  })
}

function fits({ own, all }: { own: number; all: number }): boolean {
  return own < MOST_OF_ONE && all < MOST
}

async function counts(database: Queryable, { owner_id, model, asked_from }: Place) {
  const rows = await database.all<{ asked_from: string; n: number }>(
    `SELECT asked_from, count(*) AS n FROM oauth_artifacts
     WHERE owner_id = ? AND model = ? AND asked_from IS NOT NULL GROUP BY asked_from ORDER BY asked_from`,
    [owner_id, model],
  )
  const found = rows.map(row => ({ asker: row.asked_from, n: Number(row.n) }))
  return {
    own: found.find(({ asker }) => asker === asked_from)?.n ?? 0,
    all: found.reduce((sum, { n }) => sum + n, 0),
    most: found.reduce((most, each) => (each.n > most.n ? each : most), { asker: '', n: 0 }).asker,
  }
}
