import type pg from 'pg'
import { RecentlyUsed } from './recently-used.ts'

/** Each prepared statement costs memory at the server, and each combination of filters is a statement of its own. */
const MOST_PREPARED = 200

const namesOf = new WeakMap<pg.ClientBase, RecentlyUsed<string>>()
let lastName = 0

function names(client: pg.ClientBase): RecentlyUsed<string> {
  const known = namesOf.get(client) ?? new RecentlyUsed(MOST_PREPARED)
  namesOf.set(client, known)
  return known
}

/** The name under which the server prepares a statement once for a connection. */
export function preparedName(client: pg.ClientBase, text: string): string {
  return names(client).get(text, () => `s${++lastName}`)
}

/**
 * Gives up the statements of a connection that were not used for longest. Never inside a transaction: it would fail with
 * it if the server does not know a statement.
 */
export function forgetPrepared(client: pg.ClientBase): void {
  for (const name of names(client).takeExcess()) {
    client.query(`DEALLOCATE ${name}`).catch(() => {})
    // The driver remembers names, too, and has no call for forgetting one.
    const { connection } = client as unknown as { connection?: { parsedStatements?: Record<string, string> } }
    delete connection?.parsedStatements?.[name]
  }
}
