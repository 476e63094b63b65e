import type { Database, Queryable, Transaction } from '../engine/database.ts'
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

/** Signals to every reader that connections or declarations have changed. */
export async function touchCatalog(transaction: Transaction, owner_id: string): Promise<number> {
  const row = await transaction.get<{ catalog_seq: number }>(
    'UPDATE owners SET catalog_seq = catalog_seq + 1 WHERE owner_id = ? RETURNING catalog_seq',
    [owner_id],
  )
  return row?.catalog_seq ?? 0
}

export async function catalogSeq(database: Queryable, owner_id: string): Promise<number> {
  const row = await database.get<{ catalog_seq: number }>(
    'SELECT catalog_seq FROM owners WHERE owner_id = ?',
    [owner_id],
  )
  return row?.catalog_seq ?? 0
}
