import type { Operation } from '../../model/declaration/ingest-line.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import type { Queryable, Transaction } from '../engine/database.ts'
import type { Row } from '../engine/table.ts'
import type { StreamTarget } from '../names/write-names.ts'
import type { Effect } from './record-changes.ts'
import { PROVENANCE } from './tables.ts'

export interface RecordPlace {
  owner_id: string
  connection_id: string
  stream: string
}

/** Records which import added the records, and deletes the origin of deleted ones. */
export async function noteProvenance(
  transaction: Transaction,
  target: StreamTarget & { import_id?: string },
  operations: readonly Operation[],
  effects: readonly Effect[],
): Promise<void> {
  const { owner_id, connection_id, stream, import_id } = target
  const place = { owner_id, connection_id, stream: stream.name }
  const brought = new Map<string, Row<typeof PROVENANCE>>()
  const deleted: string[] = []
  for (const [index, operation] of operations.entries()) {
    const record_key = recordKey(operation.record_id)
    if (operation.op === 'delete') {
      brought.delete(record_key)
      deleted.push(record_key)
    } else if (import_id !== undefined) {
      const imported = effects[index] === 'added' || brought.get(record_key)?.imported === 1 ? 1 : 0
      brought.set(record_key, { ...place, record_key, import_id, place: operation.place ?? '', imported })
    }
  }
  if (deleted.length > 0) await forgetProvenance(transaction, place, deleted)
  if (brought.size === 0) return
  const unsure = [...brought.values()].filter(row => row.imported === 0)
  const known = await importedKeys(transaction, place, unsure)
  for (const row of unsure) if (known.has(row.record_key)) row.imported = 1
  await transaction.upsert(PROVENANCE, [...brought.values()])
}

async function forgetProvenance(
  transaction: Transaction,
  { owner_id, connection_id, stream }: RecordPlace,
  keys: readonly string[],
): Promise<void> {
  await transaction.run(
    `DELETE FROM provenance WHERE owner_id = ? AND connection_id = ? AND stream = ?
       AND ${transaction.oneOf('record_key', 'text')}`,
    [owner_id, connection_id, stream, transaction.list(keys)],
  )
}

/** Which of the records exist because of imports. */
async function importedKeys(
  transaction: Transaction,
  { owner_id, connection_id, stream }: RecordPlace,
  records: readonly { record_key: string }[],
): Promise<Set<string>> {
  if (records.length === 0) return new Set()
  const keys = records.map(({ record_key }) => record_key)
  const rows = await transaction.all<{ record_key: string }>(
    `SELECT DISTINCT record_key FROM provenance WHERE owner_id = ? AND connection_id = ? AND stream = ?
       AND ${transaction.oneOf('record_key', 'text')} AND imported = 1`,
    [owner_id, connection_id, stream, transaction.list(keys)],
  )
  return new Set(rows.map(row => row.record_key))
}

/** The imports that contained a record, newest first, and where it was in their files. */
export function originsOf(
  database: Queryable,
  { owner_id, connection_id, stream, record_id }: RecordPlace & { record_id: string },
): Promise<{ import_id: string; place: string; format: string; source: string; started_at: string }[]> {
  return database.all(
    `SELECT p.import_id, p.place, i.format, i.source, i.started_at
     FROM provenance p JOIN imports i ON i.owner_id = p.owner_id AND i.import_id = p.import_id
     WHERE p.owner_id = ? AND p.connection_id = ? AND p.stream = ? AND p.record_key = ?
     ORDER BY p.import_id DESC`,
    [owner_id, connection_id, stream, recordKey(record_id)],
  )
}
