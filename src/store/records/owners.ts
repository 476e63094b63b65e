import type { Database, Queryable } from '../engine/database.ts'
import { randomId } from '../engine/identifiers.ts'
import { OWNERS } from './tables.ts'

/** The initial sequence numbers of an owner without data. */
export const NOTHING_NUMBERED = {
  catalog_seq: 0,
  change_seq: 0,
  text_seq: 0,
  row_seq: 0,
  words_seq: 0,
  name_seq: 0,
}

/** The store's owner, created at the first call. */
export async function ensureOwner(database: Database, args: { now: string }): Promise<string> {
  const existing = await firstOwner(database)
  if (existing) return existing
  return database.exclusively(async transaction => {
    const raced = await firstOwner(transaction)
    if (raced) return raced
    const owner_id = randomId('o', 7)
    await transaction.insert(OWNERS, [{ owner_id, created_at: args.now, ...NOTHING_NUMBERED }])
    return owner_id
  })
}

export async function firstOwner(database: Queryable): Promise<string | undefined> {
  const row = await database.get<{ owner_id: string }>(
    'SELECT owner_id FROM owners ORDER BY created_at, owner_id LIMIT 1',
  )
  return row?.owner_id
}
