import { searchedFields } from '../../model/declaration/declaration.ts'
import { isObject, parseJson } from '../../model/json.ts'
import { spanOf, withNumber } from '../../model/reading/record-history.ts'
import { besideNeighbours, rowCount } from '../../model/search/index-rows.ts'
import { indexVersion, WORDS_VERSION, withNamesOf } from '../../model/search/index-version.ts'
import { rowId } from '../../model/search/row-numbers.ts'
import {
  type AnalysedRow,
  analysedRows,
  type SizedText,
  searchedValues,
  textsOf,
  WordBytes,
} from '../analysis/analysed-rows.ts'
import type { AnalysedRecord, AnalysedRecords } from '../analysis/analyst.ts'
import { type Answer, unpackRows } from '../analysis/answer.ts'
import type { Database, Transaction } from '../engine/database.ts'
import { collectNow } from '../engine/heap.ts'
import { reserveNumbers } from '../engine/owner-row.ts'
import { changeRows, findRow } from '../engine/rows.ts'
import type { Row } from '../engine/table.ts'
import type { IndexedWords, RowSpan } from '../engine/word-index.ts'
import { type NamesChange, type StreamTarget, writeNames } from '../names/write-names.ts'
import type { Draft } from '../records/record-changes.ts'
import { parsedHistory, type RecordRow } from '../records/records.ts'
import { SEARCH_COUNTS, SEARCH_ROWS, SEARCH_STATE } from '../records/tables.ts'
import { removeVectors } from './meaning/vectors.ts'
import { fieldCodes } from './open-fields.ts'
import { VocabularyWriter } from './vocabulary.ts'

/**
 * How many characters are written at once: the fewer times a transaction adds to the word index, the less has to be
 * merged.
 */
const CHARS_AT_ONCE = 4 * 1024 * 1024
const REMOVED_AT_ONCE = 1_000
/** The words of this many rows are passed to the index at once, while the next rows are being analysed. */
const WORDS_OF_ROWS = 100

/** A record to index. Its numbers are filled in. */
export interface RecordToIndex {
  row: Pick<
    RecordRow,
    'record_key' | 'time_key' | 'seq' | 'history' | 'first_row' | 'row_count' | 'earliest_key' | 'latest_key'
  >
  texts: SizedText[]
  /** The changes of this batch that created it or moved it in time. */
  placed: readonly number[]
  /** Its rows, if another thread analyses its texts. */
  analysed?: AnalysedRecord | undefined
}

/** A transaction that indexes records of a stream. */
export async function indexingTransaction<T>(
  database: Database,
  { owner_id, connection_id, stream }: StreamTarget,
  work: (transaction: Transaction, vocabulary: VocabularyWriter) => Promise<T>,
): Promise<T> {
  const place = { owner_id, connection_id, stream: stream.name }
  const { result, vocabulary } = await database.transaction(async transaction => {
    const vocabulary = await VocabularyWriter.open(database, transaction, place, WORDS_VERSION)
    const result = await work(transaction, vocabulary)
    await vocabulary.write(transaction)
    return { result, vocabulary }
  })
  vocabulary.keep()
  return result
}

/**
 * Updates the index of changed records, except for their rows, in the transaction that changes them. Returns what is
 * left to write with `writeRows`.
 */
export async function indexDrafts(
  transaction: Transaction,
  target: StreamTarget,
  drafts: readonly Draft[],
  analysed: AnalysedRecords | null,
): Promise<RecordToIndex[]> {
  await removeRows(
    transaction,
    target.owner_id,
    drafts.map(draft => draft.before).filter(before => before !== null),
  )
  await removeVectors(
    transaction,
    target.owner_id,
    drafts.flatMap(({ row, before }) => (before && row.first_row !== before.first_row ? [before] : [])),
  )
  await writeNames(transaction, target, drafts.map(namesChange))
  await noteVersion(transaction, target)
  const fields = searchedFields(target.stream)
  if (fields.length === 0) return []
  const codes = await fieldCodes(transaction, target.owner_id, fields)
  const living = drafts.filter(({ row }) => row.deleted === 0)
  const records = living.map(({ row, data, newTexts, placed }): RecordToIndex => {
    if (!data) return { row, texts: [], placed }
    const long = newTexts.map(({ path, pieces, size_chars }) => ({
      path,
      size: size_chars,
      pieces: () => besideNeighbours(pieces),
    }))
    const texts = textsOf(fields, codes, searchedValues(fields, data), long)
    return { row, texts, placed, analysed: analysed?.get(data) }
  })
  await numberRows(transaction, target.owner_id, records)
  return records
}

function namesChange({ row, before, data }: Draft): NamesChange {
  const known = before?.deleted === 0 ? parseJson(before.data) : undefined
  return {
    before: before && isObject(known) ? { ...before, data: known } : null,
    after: row.deleted === 0 && data ? { ...row, data } : null,
  }
}

function createdAt({ history, seq }: RecordToIndex['row']): number {
  return parsedHistory(history)?.born[0] ?? seq
}

/**
 * Numbers the rows and writes the numbers into the records. A record that moves in time keeps its number, but the move is
 * numbered as well: a reader who could not see it before counts it as added then.
 */
export async function numberRows(
  transaction: Transaction,
  owner_id: string,
  records: readonly RecordToIndex[],
): Promise<void> {
  // A record without words gets a number too, so that its place does not reveal when its first words were added.
  const numbered = records.flatMap(({ row, placed }) => {
    const wasCreated = row.first_row !== 0 || placed.includes(createdAt(row))
    return (wasCreated ? placed : [0, ...placed]).map(seq => ({ row, seq }))
  })
  // In the order of changes, whether or not the records were stored before.
  numbered.sort((a, b) => a.seq - b.seq)
  let next = numbered.length > 0 ? await reserveNumbers(transaction, owner_id, 'row_seq', numbered.length) : 0
  for (const { row, seq } of numbered) {
    const number = next++
    const history = parsedHistory(row.history)
    const moves = seq !== 0 && seq !== createdAt(row)
    if (!moves || !history) row.first_row = number
    else Object.assign(row, { ...spanOf(history), history: JSON.stringify(withNumber(history, seq, number)) })
  }
  for (const { row, texts } of records) row.row_count = rowCount(texts)
}

/** Writes the rows of numbered records, many at a time. */
export async function writeRows(
  transaction: Transaction,
  { owner_id, connection_id, stream }: StreamTarget,
  records: readonly RecordToIndex[],
  vocabulary: VocabularyWriter,
): Promise<void> {
  let stored: Row<typeof SEARCH_ROWS>[] = []
  let counted: Row<typeof SEARCH_COUNTS>[] = []
  let words: IndexedWords[] = []
  let chars = 0
  // The word index buffers what it is given until another statement runs.
  const addWords = async () => {
    await transaction.words.add(owner_id, words)
    words = []
  }
  const flush = async () => {
    await addWords()
    await transaction.upsert(SEARCH_ROWS, stored)
    await transaction.upsert(SEARCH_COUNTS, counted)
    stored = []
    counted = []
    chars = 0
  }
  const isFull = () => chars >= CHARS_AT_ONCE || words.length >= WORDS_OF_ROWS
  const flushSome = async () => {
    if (chars < CHARS_AT_ONCE) return addWords()
    await flush()
    // Words leave garbage of several times their size, which would pile up with a long text.
    collectNow()
  }
  const place = { owner_id, connection_id, stream: stream.name }
  const bytes = new WordBytes(scopeWord(owner_id, connection_id, stream.name))
  let group: AnalysedRecord['group'] | undefined
  let analysed: Answer | null = null
  for (const record of records) {
    const { row } = record
    const { record_key, time_key } = row
    let row_no = 0
    const add = ({ sections, words: found }: AnalysedRow) => {
      const row_id = rowId(row.first_row, row_no)
      stored.push({ ...place, row_id, record_key, row_no, time_key })
      counted.push({ owner_id, row_id, sections })
      words.push({ row_id, later: row_no++ > 0, time_key, words: found })
      chars += sections.length + found.length
    }
    if (record.analysed && record.analysed.group !== group) {
      group = record.analysed.group
      analysed = await group.answer()
      if (analysed) vocabulary.addHashes(analysed.hashes)
    }
    if (record.analysed && analysed) {
      for (const each of unpackRows(analysed, record.analysed.no)) add(each)
      if (isFull()) await flushSome()
      continue
    }
    for await (const each of analysedRows(record.texts, row.row_count, bytes, vocabulary.addRow)) {
      add(each)
      if (isFull()) await flushSome()
    }
  }
  await flush()
}

export async function removeRows(
  transaction: Transaction,
  owner_id: string,
  records: readonly RowSpan[],
): Promise<void> {
  const indexed = records.filter(({ row_count }) => row_count > 0)
  for (let i = 0; i < indexed.length; i += REMOVED_AT_ONCE) {
    const some = indexed.slice(i, i + REMOVED_AT_ONCE)
    await transaction.words.remove(owner_id, some)
    const first = transaction.list(some.map(({ first_row }) => first_row))
    for (const { name } of [SEARCH_ROWS, SEARCH_COUNTS]) {
      await transaction.run(
        `DELETE FROM ${name} WHERE owner_id = ? AND ${transaction.oneOf('row_id', 'bigint')}`,
        [owner_id, first],
      )
      for (const { first_row, row_count } of some)
        if (row_count > 1)
          await transaction.run(`DELETE FROM ${name} WHERE owner_id = ? AND row_id >= ? AND row_id < ?`, [
            owner_id,
            rowId(first_row, 1),
            rowId(first_row, row_count),
          ])
    }
  }
}

/**
 * Stores the version with the first records of a stream. After that it changes only by a rebuild, or when some names
 * are no longer written.
 */
async function noteVersion(
  transaction: Transaction,
  { owner_id, connection_id, stream }: StreamTarget,
): Promise<void> {
  const version = indexVersion(stream)
  const place = { owner_id, connection_id, stream: stream.name }
  if ((await transaction.insertNew(SEARCH_STATE, [{ ...place, version }])) > 0) return
  const stored = await findRow(transaction, SEARCH_STATE, ['version'], place)
  const kept = stored && withNamesOf(stream, stored.version)
  if (kept !== undefined && kept !== stored?.version)
    await changeRows(transaction, SEARCH_STATE, { version: kept }, place)
}

/** The word that marks every row of a stream of a connection. */
export function scopeWord(owner_id: string, connection_id: string, stream: string): string {
  const plain = `${owner_id}\u{e000}${connection_id}\u{e000}${stream}`
  const letters = plain.replace(/[\0-\x2f\x3a-\x60\x7b-\x7f]/g, c =>
    String.fromCharCode(0xe000 + c.charCodeAt(0)),
  )
  return `s\u{e001}${letters}`
}
