import { randomBytes } from 'node:crypto'
import type { Database } from '../engine/database.ts'

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

export async function readSealingKey(database: Pick<Database, 'get'>): Promise<Uint8Array | null> {
  const sql = `SELECT value FROM secrets WHERE name = 'sealing-key'`
  const row = await database.get<{ value: string }>(sql)
  return row ? Buffer.from(row.value, 'base64url') : null
}
