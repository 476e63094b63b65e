import { noConnection } from '../../model/errors.ts'
import type { Database, Queryable } from '../engine/database.ts'
import { lockedTransaction, reserveNumbers, touchCatalog } from '../engine/owner-row.ts'
import { deleteRows } from '../engine/rows.ts'
import { removeUnreferencedBlob } from '../records/blobs.ts'
import { readImport } from '../records/imports.ts'
import { removeTexts } from '../records/long-text.ts'
import { longTextsOf } from '../records/records.ts'
import { IMPORT_REJECTIONS, IMPORTS, PROVENANCE } from '../records/tables.ts'
import { indexingTransaction, removeRows } from '../search/indexing.ts'
import { removeVectors } from '../search/meaning/vectors.ts'
import { applyOperations, type IngestTarget } from './write-records.ts'

const OF_CONNECTIONS = [
  'records',
  'tallies',
  'blob_references',
  'search_state',
  'word_hashes',
  'names',
  'meaning_state',
  'provenance',
  'imports',
  'syncs',
]
/** Tables whose rows belong to those of another table, by a column that both have. */
const OF_THEIR_ROWS = [
  ['import_rejections', 'import_id', 'imports'],
  ['sync_messages', 'sync_id', 'syncs'],
  ['name_records', 'name_no', 'names'],
] as const
const OF_CONNECTION = 'owner_id = ? AND connection_id = ?'

/** Removes everything that belongs to a connection, in one transaction. */
export async function deleteConnection(
  database: Database,
  args: { owner_id: string; connection_id: string },
): Promise<void> {
  const { owner_id, connection_id } = args
  const place = [owner_id, connection_id]
  await lockedTransaction(database, owner_id, async transaction => {
    const removed = await transaction.run(`DELETE FROM connections WHERE ${OF_CONNECTION}`, place)
    if (removed === 0) throw noConnection(connection_id)
    const indexed = await transaction.all<{ first_row: number; row_count: number }>(
      `SELECT first_row, row_count FROM records WHERE ${OF_CONNECTION} AND row_count > 0`,
      place,
    )
    await removeRows(transaction, owner_id, indexed)
    await removeVectors(transaction, owner_id, indexed)
    const rows = await transaction.all<{ long_texts: string }>(
      `SELECT long_texts FROM records WHERE ${OF_CONNECTION} AND long_texts IS NOT NULL`,
      place,
    )
    await removeTexts(transaction, owner_id, rows.flatMap(longTextsOf))
    const blobs = await transaction.all<{ blob_id: string }>(
      `SELECT DISTINCT blob_id FROM blob_references WHERE ${OF_CONNECTION}`,
      place,
    )
    for (const [table, key, other] of OF_THEIR_ROWS)
      await transaction.run(
        `DELETE FROM ${table} WHERE owner_id = ? AND ${key} IN (SELECT ${key} FROM ${other} WHERE ${OF_CONNECTION})`,
        [owner_id, ...place],
      )
    for (const table of OF_CONNECTIONS)
      await transaction.run(`DELETE FROM ${table} WHERE ${OF_CONNECTION}`, place)
    for (const { blob_id } of blobs) await removeUnreferencedBlob(transaction, owner_id, blob_id)
    await touchCatalog(transaction, owner_id)
  })
}

/** Deletes tombstones that every reader has had time to read. */
export async function forgetTombstones(
  database: Database,
  { owner_id, before }: { owner_id: string; before: string },
): Promise<number> {
  return lockedTransaction(database, owner_id, transaction =>
    transaction.run('DELETE FROM records WHERE owner_id = ? AND deleted = 1 AND changed_at < ?', [
      owner_id,
      before,
    ]),
  )
}

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
