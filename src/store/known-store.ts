import { readSealingKey } from './access/sealing-key.ts'
import type { Database } from './engine/database.ts'
import { isMigrated } from './engine/migrations.ts'
import { firstOwner } from './records/owners.ts'

export interface KnownStore {
  /** The key that cursors are sealed with. */
  sealingKey: Uint8Array
  owner_id: string
}

/** What an earlier start stored, so that a read need not write anything first; null if something is missing. */
export async function knownStore(database: Database): Promise<KnownStore | null> {
  try {
    if (!(await isMigrated(database, 'store'))) return null
    const [sealingKey, owner_id] = [await readSealingKey(database), await firstOwner(database)]
    return sealingKey && owner_id ? { sealingKey, owner_id } : null
  } catch {
    // There are no tables yet. If anything else is wrong, the writer fails in the same way and reports it.
    return null
  }
}
