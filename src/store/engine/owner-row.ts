import type { Database, Queryable, Transaction } from './database.ts'

/**
 * A transaction that begins by locking the owner's row, so that nobody else changes what its decisions depend on. Every
 * transaction that reads and then writes, or that locks rows of several tables, takes this lock first, so that
 * transactions cannot deadlock.
 */
export function lockedTransaction<T>(
  database: Database,
  owner_id: string,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return database.transaction(async transaction => {
    await transaction.run('UPDATE owners SET change_seq = change_seq WHERE owner_id = ?', [owner_id])
    return work(transaction)
  })
}

/** The sequences of an owner without data. They are separate, so that owners in one database do not wait for each other. */
export const NOTHING_NUMBERED = {
  catalog_seq: 0,
  change_seq: 0,
  text_seq: 0,
  row_seq: 0,
  words_seq: 0,
  name_seq: 0,
}
type Sequence = keyof typeof NOTHING_NUMBERED

/**
 * Reserves numbers and returns the first one. Until the transaction ends, no other writer of this owner gets any, so
 * they are committed in order.
 */
export async function reserveNumbers(
  transaction: Transaction,
  owner_id: string,
  sequence: Sequence,
  count: number,
): Promise<number> {
  const row = await transaction.get<{ last: number }>(
    `UPDATE owners SET ${sequence} = ${sequence} + ? WHERE owner_id = ? RETURNING ${sequence} AS last`,
    [count, owner_id],
  )
  if (!row) throw new Error(`There is no owner ${owner_id}.`)
  return row.last - count + 1
}

/** Signals to every reader that connections or declarations have changed, and returns the number of the change. */
export function touchCatalog(transaction: Transaction, owner_id: string): Promise<number> {
  return reserveNumbers(transaction, owner_id, 'catalog_seq', 1)
}

/** The last number that was reserved. */
export async function lastNumber(database: Queryable, owner_id: string, sequence: Sequence): Promise<number> {
  const row = await database.get<{ last: number }>(
    `SELECT ${sequence} AS last FROM owners WHERE owner_id = ?`,
    [owner_id],
  )
  return row?.last ?? 0
}
