import type { Database, Queryable, Transaction } from '../engine/database.ts'

/** The short codes of field names in the index; a new name gets a new code. */
export async function fieldCodes(
  transaction: Transaction,
  owner_id: string,
  fields: readonly string[],
): Promise<Map<string, number>> {
  const codes = await readFieldCodes(transaction, owner_id)
  for (const field of fields) {
    if (codes.has(field)) continue
    codes.set(field, codes.size + 1)
    await transaction.run('INSERT INTO search_fields (owner_id, field, code) VALUES (?, ?, ?)', [
      owner_id,
      field,
      codes.size,
    ])
  }
  return codes
}

const codesOfOwners = new WeakMap<object, Map<string, Map<string, number>>>()

/** The codes of fields that have been indexed. A code never changes, so it is read once. */
export async function knownFieldCodes(
  database: Database,
  owner_id: string,
  fields: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const owners = codesOfOwners.get(database.identity) ?? new Map()
  codesOfOwners.set(database.identity, owners)
  const known = owners.get(owner_id)
  if (known && fields.every(field => known.has(field))) return known
  const codes = await readFieldCodes(database, owner_id)
  owners.set(owner_id, codes)
  return codes
}

async function readFieldCodes(database: Queryable, owner_id: string): Promise<Map<string, number>> {
  const rows = await database.all<{ field: string; code: number }>(
    'SELECT field, code FROM search_fields WHERE owner_id = ?',
    [owner_id],
  )
  return new Map(rows.map(({ field, code }) => [field, code]))
}
