import type { Catalog } from '../../model/access/enforce.ts'
import { conversationPlace, NO_PLACE } from '../../model/declaration/conversation.ts'
import { searchedFields, streamOf } from '../../model/declaration/declaration.ts'
import { isObject, parseJson } from '../../model/json.ts'
import { type PieceText, pieceText } from '../../model/search/index-rows.ts'
import { indexVersion, withNamesOf } from '../../model/search/index-version.ts'
import { searchedValues, textsOf } from '../analysis/analysed-rows.ts'
import type { Database, Queryable, Transaction } from '../engine/database.ts'
import { reserveNumbers } from '../engine/owner-row.ts'
import { changeRows, findRow, listRows } from '../engine/rows.ts'
import type { Row } from '../engine/table.ts'
import { type StreamTarget, writeNames } from '../names/write-names.ts'
import { streamText } from '../records/long-text.ts'
import { COLUMNS, longTextsOf, type RecordRow } from '../records/records.ts'
import { RECORDS, SEARCH_STATE } from '../records/tables.ts'
import { liveRecords } from '../records/tallies.ts'
import {
  indexingTransaction,
  numberRows,
  type RecordToIndex,
  removeRows,
  writeRows,
} from '../search/indexing.ts'
import { fieldCodes } from '../search/open-fields.ts'
import type { VocabularyWriter } from '../search/vocabulary.ts'

const RECORDS_AT_ONCE = 200

/**
 * Rebuilds the next part of a stream's index if it was built by another analyzer or for other fields. Each part is one
 * transaction that stores how far it got, so the work resumes where it stopped. True if nothing is left to do.
 */
export async function rebuildIndexPart(database: Database, target: StreamTarget): Promise<boolean> {
  const { owner_id, connection_id, stream } = target
  const place = { owner_id, connection_id, stream: stream.name }
  return indexingTransaction(database, target, async (transaction, vocabulary) => {
    // Reserving no numbers still locks out other writers of this owner until the transaction ends.
    await reserveNumbers(transaction, owner_id, 'change_seq', 0)
    const state = await findRow(transaction, SEARCH_STATE, ['version', 'rebuilt_to'], place)
    const version = indexVersion(stream)
    if (!state || state.version === version) return true
    const before = progressOf(state, version)
    const rows = await transaction.all<RecordRow>(
      `SELECT ${COLUMNS} FROM records WHERE owner_id = ? AND connection_id = ? AND stream = ? AND record_key > ?
         AND deleted = 0 ORDER BY record_key LIMIT ?`,
      [owner_id, connection_id, stream.name, before.key, RECORDS_AT_ONCE],
    )
    await indexAgain(transaction, target, rows, vocabulary)
    const last = rows.at(-1)
    const isDone = rows.length < RECORDS_AT_ONCE || !last
    if (isDone) await vocabulary.removeOthers(transaction)
    const reached = `${version}\n${before.done + rows.length}\n${last?.record_key}`
    const built = isDone
      ? { version, rebuilt_to: null }
      : { version: withNamesOf(stream, state.version), rebuilt_to: reached }
    await changeRows(transaction, SEARCH_STATE, built, place)
    return isDone
  })
}

/** An index that was built by another analyzer or for other fields, and how many of its records are rebuilt. */
export interface OutdatedIndex {
  connection_id: string
  stream: string
  version: string
  done: number
  all: number
}

export async function outdatedIndexes(
  database: Queryable,
  owner_id: string,
  connections: Catalog['connections'],
): Promise<OutdatedIndex[]> {
  const columns = ['connection_id', 'stream', 'version', 'rebuilt_to'] as const
  const rows = await listRows(database, SEARCH_STATE, columns, { owner_id }, ['connection_id', 'stream'])
  const outdated: OutdatedIndex[] = []
  for (const { connection_id, stream, version: built, rebuilt_to } of rows) {
    const connection = connections.find(candidate => candidate.connection_id === connection_id)
    const declared = connection && streamOf(connection.declaration, stream)
    const version = declared && indexVersion(declared)
    if (version === undefined || version === built) continue
    const all = await liveRecords(database, { owner_id, connection_id, stream })
    // Records that were removed since may have been counted as done.
    const done = Math.min(all, progressOf({ rebuilt_to }, version).done)
    outdated.push({ connection_id, stream, version: built, done, all })
  }
  return outdated
}

/** Progress towards a version that is itself out of date now does not count. */
function progressOf(
  { rebuilt_to }: Pick<Row<typeof SEARCH_STATE>, 'rebuilt_to'>,
  version: string,
): { done: number; key: string } {
  const [, target, done, key = ''] = /^([^\n]*)\n(\d+)\n(.*)$/s.exec(rebuilt_to ?? '') ?? []
  return target === version ? { done: Number(done), key } : { done: 0, key: '' }
}

async function indexAgain(
  transaction: Transaction,
  target: StreamTarget,
  rows: readonly RecordRow[],
  vocabulary: VocabularyWriter,
): Promise<void> {
  const stream = {
    owner_id: target.owner_id,
    connection_id: target.connection_id,
    stream: target.stream.name,
  }
  const fields = searchedFields(target.stream)
  const codes = await fieldCodes(transaction, target.owner_id, fields)
  await removeRows(transaction, target.owner_id, rows)
  const parsed = rows.map(row => {
    const data = parseJson(row.data)
    return { row, data: isObject(data) ? data : null }
  })
  const records = parsed.map(({ row, data }): RecordToIndex => {
    const long = longTextsOf(row).map(({ path, text_no, size_chars }) => ({
      path,
      size: size_chars,
      pieces: () => storedPieces(streamText(transaction, target.owner_id, text_no, size_chars)),
    }))
    return { row, placed: [], texts: data ? textsOf(fields, codes, searchedValues(fields, data), long) : [] }
  })
  await numberRows(transaction, target.owner_id, records)
  if (fields.length === 0) for (const row of rows) row.row_count = 0
  await writeRows(transaction, target, records, vocabulary)
  const named = parsed.flatMap(({ row, data }) => {
    const placed = data && { ...row, data }
    return placed ? [{ before: placed, after: placed }] : []
  })
  await writeNames(transaction, target, named)
  for (const { row, data } of parsed) {
    const place = data ? conversationPlace(target.stream, data, row.long_id ?? row.record_key) : NO_PLACE
    const { first_row, row_count, record_key } = row
    await changeRows(transaction, RECORDS, { first_row, row_count, ...place }, { ...stream, record_key })
  }
}

/** Stored pieces with the edges of their neighbours, cut as they were when the text was imported. */
async function* storedPieces(pieces: AsyncIterable<string>): AsyncGenerator<PieceText> {
  let before = ''
  let own: string | null = null
  for await (const next of pieces) {
    if (own !== null) {
      yield pieceText(before, own, next)
      before = own.slice(-2)
    }
    own = next
  }
  if (own !== null) yield pieceText(before, own, '')
}
