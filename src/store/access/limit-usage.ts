import type { Database } from '../engine/database.ts'
import { LIMIT_USAGE } from './tables.ts'

/** What one caller has used of a limit since this server last reported it. Times are in microseconds. */
export interface Spent {
  key: string
  amount: number
  /** When the first of it was used; from then on it is earned back. */
  since: number
}

const HOUR_US = 3_600_000_000

/**
 * Adds what this server's callers have used to the totals of all servers, and returns until when each caller has used
 * up its share. A caller's row is one number: the time at which everything it has used will be available again. One that is
 * further ahead than `most` was written by a clock that was ahead, and is forgotten.
 */
export async function spendLimits(
  database: Database,
  args: { owner_id: string; spent: readonly Spent[]; now: number; most: number },
): Promise<Record<string, number>> {
  const { owner_id, now, most } = args
  // Always in the same order, so that two servers cannot deadlock.
  const spent = args.spent.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  await database.run('DELETE FROM limit_usage WHERE owner_id = ? AND used_until < ?', [
    owner_id,
    now - HOUR_US,
  ])
  return database.transaction(async transaction => {
    const keys = transaction.list(spent.map(({ key }) => key))
    await transaction.run(
      `DELETE FROM limit_usage WHERE owner_id = ? AND ${transaction.oneOf('limit_key', 'text')} AND used_until > ?`,
      [owner_id, keys, now + most],
    )
    await transaction.upsert(
      LIMIT_USAGE,
      spent.map(({ key, amount, since }) => ({
        owner_id,
        limit_key: key,
        used_until: since + amount,
        used_since: since,
      })),
      `used_until = excluded.used_until
         + CASE WHEN t.used_until > excluded.used_since THEN t.used_until - excluded.used_since ELSE 0 END,
       used_since = excluded.used_since`,
    )
    const rows = await transaction.all<{ limit_key: string; used_until: number }>(
      `SELECT limit_key, used_until FROM limit_usage
       WHERE owner_id = ? AND ${transaction.oneOf('limit_key', 'text')}`,
      [owner_id, keys],
    )
    return Object.fromEntries(rows.map(row => [row.limit_key, Number(row.used_until)]))
  })
}
