import type { Database, Transaction } from './database.ts'

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
