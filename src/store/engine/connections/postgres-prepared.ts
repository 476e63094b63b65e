import type pg from 'pg'
import { RecentlyUsed } from '../../../model/recently-used.ts'

/** Each prepared statement uses memory on the server, and each combination of filters is a separate statement. */
const MOST_PREPARED = 200

const namesOf = new WeakMap<pg.ClientBase, RecentlyUsed<string>>()
let lastName = 0

function names(client: pg.ClientBase): RecentlyUsed<string> {
  const known = namesOf.get(client) ?? new RecentlyUsed(MOST_PREPARED)
  namesOf.set(client, known)
  return known
}

/** The name under which the server prepares a statement once per connection. */
export function preparedName(client: pg.ClientBase, text: string): string {
  return names(client).get(text, () => `s${++lastName}`)
}

/**
 * Drops the least recently used statements of a connection. Never inside a transaction, which would fail if the server
 * does not know a statement.
 */
export function forgetPrepared(client: pg.ClientBase): void {
  for (const name of names(client).takeExcess()) {
    client.query(`DEALLOCATE ${name}`).catch(() => {})
    // The driver also remembers names, and has no call to forget one.
    const { connection } = client as unknown as { connection?: { parsedStatements?: Record<string, string> } }
    delete connection?.parsedStatements?.[name]
  }
}
