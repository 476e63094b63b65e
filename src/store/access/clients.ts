import type { Queryable, Transaction } from '../engine/database.ts'
import { randomId } from '../engine/identifiers.ts'
import { CLIENTS } from './tables.ts'

/** The client of that name that the owner made, or a new one. */
export async function ensureClient(
  transaction: Transaction,
  owner_id: string,
  name: string,
  now: string,
): Promise<string> {
  const known = await transaction.get<{ client_id: string }>(
    // A client that registered itself chose its own name, so its name does not make it one of the owner's.
    'SELECT client_id FROM clients WHERE owner_id = ? AND name = ? AND origin IS NULL ORDER BY created_at LIMIT 1',
    [owner_id, name],
  )
  if (known) return known.client_id
  const client_id = randomId('cli_', 10)
  await transaction.insert(CLIENTS, [{ owner_id, client_id, name, created_at: now }])
  return client_id
}

export interface ClientRow {
  client_id: string
  name: string
  created_at: string
}

export async function listClients(database: Queryable, owner_id: string): Promise<ClientRow[]> {
  return database.all<ClientRow>(
    'SELECT client_id, name, created_at FROM clients WHERE owner_id = ? ORDER BY created_at, client_id',
    [owner_id],
  )
}
