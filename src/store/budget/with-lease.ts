import type { Database } from '../engine/database.ts'

/** Works with a view of the database for one request. A statement that still runs when the client leaves is stopped. */
export async function withLease<T>(
  database: Database,
  left: AbortSignal,
  work: (view: Database) => Promise<T>,
): Promise<T> {
  const lease = database.lease()
  let stopping: Promise<void> | null = null
  const stop = () => {
    // A database that cannot be reached stops the statement too.
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
