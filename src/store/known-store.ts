import { randomBytes } from 'node:crypto'
import type { Database, Queryable } from './engine/database.ts'
import { randomId } from './engine/identifiers.ts'
import { isMigrated, migrate } from './engine/migrations.ts'
import { NOTHING_NUMBERED } from './engine/owner-row.ts'
import { OWNERS } from './records/tables.ts'

export interface KnownStore {
  /** The key that cursors are sealed with. */
  sealingKey: Uint8Array
  owner_id: string
}

/** What an earlier start stored, so that a read need not write anything first; null if something is missing. */
export async function knownStore(database: Database): Promise<KnownStore | null> {
  try {
    if (!(await isMigrated(database, 'store'))) return null
    const [sealingKey, owner_id] = [await readSealingKey(database), await firstOwner(database)]
    return sealingKey && owner_id ? { sealingKey, owner_id } : null
  } catch {
    // There are no tables yet. If anything else is wrong, the writer fails in the same way and reports it.
    return null
  }
}

/** Brings the tables up to date, and creates what is missing. */
export async function beginStore(database: Database, { now }: { now: string }): Promise<KnownStore> {
  await migrate(database)
  return { sealingKey: await ensureSealingKey(database), owner_id: await ensureOwner(database, now) }
}

/** The server's own key for sealing cursors; generated once and stored with the data. */
async function ensureSealingKey(database: Database): Promise<Uint8Array> {
  return database.transaction(async transaction => {
    const fresh = randomBytes(32).toString('base64url')
    await transaction.run(
      `INSERT INTO secrets (name, value) VALUES ('sealing-key', ?) ON CONFLICT DO NOTHING`,
      [fresh],
    )
    return (await readSealingKey(transaction)) ?? Buffer.from(fresh, 'base64url')
  })
}

async function readSealingKey(database: Queryable): Promise<Uint8Array | null> {
  const sql = `SELECT value FROM secrets WHERE name = 'sealing-key'`
  const row = await database.get<{ value: string }>(sql)
  return row ? Buffer.from(row.value, 'base64url') : null
}

/** The store's owner, created at the first call. */
async function ensureOwner(database: Database, created_at: string): Promise<string> {
  const existing = await firstOwner(database)
  if (existing) return existing
  return database.exclusively(async transaction => {
    const raced = await firstOwner(transaction)
    if (raced) return raced
    const owner_id = randomId('o', 7)
    await transaction.insert(OWNERS, [{ owner_id, created_at, ...NOTHING_NUMBERED }])
    return owner_id
  })
}

async function firstOwner(database: Queryable): Promise<string | undefined> {
  const row = await database.get<{ owner_id: string }>(
    'SELECT owner_id FROM owners ORDER BY created_at, owner_id LIMIT 1',
  )
  return row?.owner_id
}
