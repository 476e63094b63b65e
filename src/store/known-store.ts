import { randomBytes } from 'node:crypto'
import type { Database } from './engine/database.ts'
import { isMigrated } from './engine/migrations.ts'
import { firstOwner } from './records/owners.ts'

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

/** The server's own key for sealing cursors; generated once and stored with the data. */
export async function sealingKey(database: Database): Promise<Uint8Array> {
  return database.transaction(async transaction => {
    const fresh = randomBytes(32).toString('base64url')
    await transaction.run(
      `INSERT INTO secrets (name, value) VALUES ('sealing-key', ?) ON CONFLICT DO NOTHING`,
      [fresh],
    )
    return (await readSealingKey(transaction)) ?? Buffer.from(fresh, 'base64url')
  })
}

async function readSealingKey(database: Pick<Database, 'get'>): Promise<Uint8Array | null> {
  const sql = `SELECT value FROM secrets WHERE name = 'sealing-key'`
  const row = await database.get<{ value: string }>(sql)
  return row ? Buffer.from(row.value, 'base64url') : null
}
