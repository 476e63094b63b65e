import type { Database } from '../engine/database.ts'
import type { Row } from '../engine/table.ts'
import { PAGE_POSITIONS } from './tables.ts'

/** Where a page ended. The key is derived from the state, so storing it twice has no effect. */
export type PagePosition = Row<typeof PAGE_POSITIONS>

export async function keepPositions(ledger: Database, positions: readonly PagePosition[]): Promise<void> {
  const byKey = new Map(positions.map(position => [position.position_key, position]))
  await ledger.upsert(PAGE_POSITIONS, [...byKey.values()])
}

export async function findPosition(ledger: Database, owner_id: string, key: string): Promise<string | null> {
  const row = await ledger.get<{ state: string }>(
    'SELECT state FROM page_positions WHERE owner_id = ? AND position_key = ?',
    [owner_id, key],
  )
  return row?.state ?? null
}

/** Deletes positions whose cursors have all expired; without a time, all positions. */
export async function forgetPositions(ledger: Database, owner_id: string, before?: string): Promise<void> {
  const old = before === undefined ? '' : ' AND kept_at < ?'
  const params = before === undefined ? [owner_id] : [owner_id, before]
  await ledger.run(`DELETE FROM page_positions WHERE owner_id = ?${old}`, params)
}
