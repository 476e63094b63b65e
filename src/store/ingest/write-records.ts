import { blobReferences } from '../../model/declaration/blob.ts'
import type { Operation } from '../../model/declaration/ingest-line.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import { CodedError } from '../../model/errors.ts'
import type { LongText } from '../../model/reading/record.ts'
import type { TakenText } from '../../model/text/pieces.ts'
import type { AnalysedRecords } from '../analysis/analyst.ts'
import type { Database, Transaction } from '../engine/database.ts'
import { reserveNumbers } from '../engine/owner-row.ts'
import { deleteRows, findRow, listRows } from '../engine/rows.ts'
import type { Row } from '../engine/table.ts'
import type { StreamTarget } from '../names/write-names.ts'
import { removeUnreferencedBlob, storeBlobs } from '../records/blobs.ts'
import { removeTexts } from '../records/long-text.ts'
import { noteProvenance } from '../records/provenance.ts'
import { applyOperation, type Draft, type Effect } from '../records/record-changes.ts'
import { COLUMNS, longTextsOf, type RecordRow } from '../records/records.ts'
import { BLOB_REFERENCES, CONNECTIONS, PIECES, RECORDS, TALLIES } from '../records/tables.ts'
import { indexDrafts, indexingTransaction, writeRows } from '../search/indexing.ts'
import type { VocabularyWriter } from '../search/vocabulary.ts'

export interface IngestTarget extends StreamTarget {
  /** The import that adds the records, if any. */
  import_id?: string
}

const PIECES_AT_ONCE = 64

/** Applies operations in order, in one transaction, and returns the result of each. */
export function writeOperations(
  database: Database,
  target: IngestTarget,
  operations: readonly Operation[],
  analysed: AnalysedRecords | null = null,
): Promise<Effect[]> {
  return indexingTransaction(database, target, (transaction, vocabulary) =>
    applyOperations({ transaction, vocabulary }, target, operations, analysed),
  )
}

/** The same in a transaction that has begun. */
export async function applyOperations(
  { transaction, vocabulary }: { transaction: Transaction; vocabulary: VocabularyWriter },
  target: IngestTarget,
  operations: readonly Operation[],
  analysed: AnalysedRecords | null = null,
): Promise<Effect[]> {
  const now = new Date().toISOString()
  let seq = await reserveNumbers(transaction, target.owner_id, 'change_seq', operations.length)
  await assertConnectionExists(transaction, target)
  const drafts = await loadDrafts(transaction, target, operations)
  const isAppendOnly = target.stream.semantics === 'append_only'
  const effects = operations.map((operation): Effect => {
    const key = recordKey(operation.record_id)
    const known = drafts.get(key) ?? null
    if (isAppendOnly && operation.op === 'upsert' && known?.row.deleted === 0) return 'unchanged'
    const { draft, effect } = applyOperation(known, operation, { seq: seq++, now })
    if (draft) drafts.set(key, draft)
    return effect
  })
  await storeBlobs(
    transaction,
    target.owner_id,
    operations.flatMap((operation, i) =>
      operation.op === 'upsert' && effects[i] !== 'unchanged' ? operation.blobs : [],
    ),
  )
  const changed = [...drafts.values()].filter(draft => draft.row !== draft.before)
  if (changed.length > 0) await writeDrafts(transaction, target, changed, { now, vocabulary, analysed })
  await noteProvenance(transaction, target, operations, effects)
  return effects
}

async function assertConnectionExists(transaction: Transaction, target: IngestTarget): Promise<void> {
  const { owner_id, connection_id } = target
  if (await findRow(transaction, CONNECTIONS, ['connection_id'], { owner_id, connection_id })) return
  const message = 'The connection was deleted while records were being written to it.'
  throw new CodedError('connection_not_found', message)
}

async function loadDrafts(
  transaction: Transaction,
  target: IngestTarget,
  operations: readonly Operation[],
): Promise<Map<string, Draft>> {
  const keys = [...new Set(operations.map(operation => recordKey(operation.record_id)))]
  const rows = await transaction.all<RecordRow>(
    `SELECT ${COLUMNS} FROM records
     WHERE owner_id = ? AND connection_id = ? AND stream = ? AND ${transaction.oneOf('record_key', 'text')}`,
    [target.owner_id, target.connection_id, target.stream.name, transaction.list(keys)],
  )
  return new Map(
    rows.map(row => [row.record_key, { row, before: row, newTexts: [], data: null, placed: [] }]),
  )
}

async function writeDrafts(
  transaction: Transaction,
  target: IngestTarget,
  drafts: readonly Draft[],
  {
    now,
    vocabulary,
    analysed,
  }: { now: string; vocabulary: VocabularyWriter; analysed: AnalysedRecords | null },
): Promise<void> {
  const { owner_id, connection_id, stream } = target
  const place = { owner_id, connection_id, stream: stream.name }
  await removeTexts(
    transaction,
    owner_id,
    drafts.flatMap(({ before }) => (before ? longTextsOf(before) : [])),
  )
  for (const { row, newTexts } of drafts)
    if (newTexts.length > 0) row.long_texts = await writeTexts(transaction, owner_id, newTexts)
  const indexed = await indexDrafts(transaction, target, drafts, analysed)
  await transaction.upsert(
    RECORDS,
    drafts.map(({ row }) => ({ ...row, ...place, changed_at: now })),
  )
  await writeBlobReferences(transaction, target, drafts)
  const days = tallyOf(drafts)
  await transaction.upsert(
    TALLIES,
    [...days].map(([day, n]) => ({ ...place, day, n })),
    'n = t.n + excluded.n',
  )
  // Last, because other threads may still be analysing them.
  await writeRows(transaction, target, indexed, vocabulary)
}

/** Writes the long texts of a record piece by piece, and returns what its row says about them; null if it has none. */
export async function writeTexts(
  transaction: Transaction,
  owner_id: string,
  texts: readonly TakenText[],
): Promise<string | null> {
  if (texts.length === 0) return null
  let text_no = await reserveNumbers(transaction, owner_id, 'text_seq', texts.length)
  const stored: LongText[] = []
  for (const { path, pieces, size_chars, digest } of texts) {
    await writePieces(transaction, owner_id, text_no, pieces)
    stored.push({ path, text_no: text_no++, size_chars, digest })
  }
  return JSON.stringify(stored)
}

async function writePieces(
  transaction: Transaction,
  owner_id: string,
  text_no: number,
  pieces: Iterable<string>,
): Promise<void> {
  let rows: Row<typeof PIECES>[] = []
  let piece_no = 0
  for (const piece of pieces) {
    rows.push({ owner_id, text_no, piece_no: piece_no++, text: piece })
    if (rows.length < PIECES_AT_ONCE) continue
    await transaction.upsert(PIECES, rows)
    rows = []
  }
  await transaction.upsert(PIECES, rows)
}

async function writeBlobReferences(
  transaction: Transaction,
  { owner_id, connection_id, stream }: IngestTarget,
  drafts: readonly Draft[],
): Promise<void> {
  const mayRefer = (row: RecordRow | null) => row?.data.includes('"blob_id"') ?? false
  for (const { row, before, data } of drafts) {
    const place = { owner_id, connection_id, stream: stream.name, record_key: row.record_key }
    const lost = mayRefer(before) ? await listRows(transaction, BLOB_REFERENCES, ['blob_id'], place) : []
    if (lost.length > 0) await deleteRows(transaction, BLOB_REFERENCES, place)
    if (data && mayRefer(row)) {
      const found = blobReferences(data)
      const rows = found.map(({ field, blob_id }) => ({ ...place, blob_id, field: recordKey(field) }))
      await transaction.upsert(BLOB_REFERENCES, rows)
    }
    for (const blob_id of new Set(lost.map(each => each.blob_id)))
      await removeUnreferencedBlob(transaction, owner_id, blob_id)
  }
}

/** How the number of live records of each day changes; records without a time are counted under an empty day. */
function tallyOf(drafts: readonly Draft[]): Map<string, number> {
  const days = new Map<string, number>()
  const count = (row: RecordRow | null, by: number) => {
    if (!row || row.deleted === 1) return
    const day = row.time_key?.slice(1, 11) ?? ''
    days.set(day, (days.get(day) ?? 0) + by)
  }
  for (const { row, before } of drafts) {
    count(before, -1)
    count(row, 1)
  }
  for (const [day, by] of days) if (by === 0) days.delete(day)
  return days
}
