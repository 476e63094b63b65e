import { noConnection } from '../../model/errors.ts'
import type { Database } from '../engine/database.ts'
import { lockedTransaction, touchCatalog } from '../engine/owner-row.ts'
import { removeUnreferencedBlob } from '../records/blobs.ts'
import { removeTexts } from '../records/long-text.ts'
import { longTextsOf } from '../records/records.ts'
import { removeRows } from '../search/indexing.ts'
import { removeVectors } from '../search/meaning/vectors.ts'

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
