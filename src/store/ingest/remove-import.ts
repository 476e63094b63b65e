import type { Database, Queryable } from '../engine/database.ts'
import { lockedTransaction, reserveNumbers } from '../engine/owner-row.ts'
import { deleteRows } from '../engine/rows.ts'
import { readImport } from '../records/imports.ts'
import { IMPORT_REJECTIONS, IMPORTS, PROVENANCE } from '../records/tables.ts'
import { indexingTransaction } from '../search/indexing.ts'
import { applyOperations, type IngestTarget } from './write-records.ts'

const RECORDS_AT_ONCE = 200

/**
 * Removes an import and the records that only it added. A record that another import also added, or that existed
 * before, stays unchanged. The removal works in parts: if interrupted, repeat it to continue.
 */
export async function removeImport(
  database: Database,
  args: { owner_id: string; import_id: string; targets: readonly IngestTarget[] },
): Promise<{ deleted: number; kept: number }> {
  const { owner_id, import_id, targets } = args
  await readImport(database, { owner_id, import_id })
  let deleted = 0
  for (const target of targets)
    for (let part = 1; part > 0; deleted += part) part = await removePart(database, target, import_id)
  const kept = await lockedTransaction(database, owner_id, async transaction => {
    const run = { owner_id, import_id }
    // Records that this import added are attributed to another import that contains them.
    await transaction.run(
      `UPDATE provenance SET imported = 1 WHERE owner_id = ? AND import_id <> ? AND imported = 0 AND EXISTS
         (SELECT 1 FROM provenance other WHERE other.owner_id = provenance.owner_id AND other.import_id = ?
            AND other.connection_id = provenance.connection_id AND other.stream = provenance.stream
            AND other.record_key = provenance.record_key AND other.imported = 1)`,
      [owner_id, import_id, import_id],
    )
    const rows = await deleteRows(transaction, PROVENANCE, run)
    await deleteRows(transaction, IMPORT_REJECTIONS, run)
    await deleteRows(transaction, IMPORTS, run)
    return rows
  })
  return { deleted, kept }
}

/**
 * Deletes some of the records that exist only because of this import, and returns how many. They are looked for under
 * the lock: another import may bring them at any time.
 */
function removePart(database: Database, target: IngestTarget, import_id: string): Promise<number> {
  return indexingTransaction(database, target, async (transaction, vocabulary) => {
    await reserveNumbers(transaction, target.owner_id, 'change_seq', 0)
    const operations = (await only(transaction, target, import_id)).map(record_id => ({
      op: 'delete' as const,
      record_id,
      emitted_at: null,
      cleaned: 0,
    }))
    if (operations.length > 0) await applyOperations({ transaction, vocabulary }, target, operations)
    return operations.length
  })
}

/** Ids of records that exist only because of this import. */
async function only(
  database: Queryable,
  { owner_id, connection_id, stream }: IngestTarget,
  import_id: string,
): Promise<string[]> {
  const rows = await database.all<{ record_id: string }>(
    `SELECT COALESCE(r.long_id, r.record_key) AS record_id
     FROM provenance p JOIN records r ON r.owner_id = p.owner_id AND r.connection_id = p.connection_id
       AND r.stream = p.stream AND r.record_key = p.record_key AND r.deleted = 0
     WHERE p.owner_id = ? AND p.import_id = ? AND p.connection_id = ? AND p.stream = ? AND p.imported = 1
       AND NOT EXISTS (SELECT 1 FROM provenance other WHERE other.owner_id = p.owner_id
         AND other.connection_id = p.connection_id AND other.stream = p.stream
         AND other.record_key = p.record_key AND other.import_id <> p.import_id)
     ORDER BY p.record_key LIMIT ?`,
    [owner_id, import_id, connection_id, stream.name, RECORDS_AT_ONCE],
  )
  return rows.map(row => row.record_id)
}
