import type { Database, Queryable } from '../engine/database.ts'
import { lockedTransaction } from '../engine/owner-lock.ts'

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
export async function makeRoom(database: Database, place: Place): Promise<void> {
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
