import type { Database } from '../engine/database.ts'

/**
 * Runs work with a database view for one request. A statement that is still running when the client disconnects is
 * cancelled.
 */
export async function withLease<T>(
  database: Database,
  left: AbortSignal,
  work: (view: Database) => Promise<T>,
): Promise<T> {
  const lease = database.lease()
  let stopping: Promise<void> | null = null
  const stop = () => {
    // If the database cannot be reached, the statement has stopped anyway.
    stopping = lease.stop().catch(() => {})
  }
  left.addEventListener('abort', stop, { once: true })
  try {
    return await work(lease.database)
  } finally {
    left.removeEventListener('abort', stop)
    await stopping
    lease.release()
  }
}
