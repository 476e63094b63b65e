import { createHash, type Hash } from 'node:crypto'
import { blobIdOf } from '../../model/declaration/blob.ts'
import { parseDeclaration } from '../../model/declaration/parse-declaration.ts'
import { CodedError } from '../../model/errors.ts'
import { isObject, type JsonObject, jsonOrNull } from '../../model/json.ts'
import type { Location, Transaction } from '../engine/database.ts'
import { timeOrderedId } from '../engine/identifiers.ts'
import { migrate, migrateLedger } from '../engine/migrations.ts'
import { openDatabase } from '../engine/open-database.ts'
import { NOTHING_NUMBERED } from '../engine/owner-row.ts'
import { columnsOf, type Row } from '../engine/table.ts'
import { type Line, LineSplitter } from '../ingest/ndjson.ts'
import { PIECE_BYTES } from '../records/blobs.ts'
import { BLOB_PIECES, BLOBS, DECLARATIONS, OWNERS } from '../records/tables.ts'
import { EXPORT_FORMAT, EXPORTED_TABLES, type ExportedTable } from './export.ts'
import { Malformed, RestoredRecords, readColumns } from './restore-records.ts'

/** How many lines of each kind were restored. */
export type Restored = Record<string, number>

const ROWS_AT_ONCE = 200

/** Restores an export into an empty store, completely or not at all. Search indexes are built later. */
export async function restoreInto(location: Location, chunks: AsyncIterable<Uint8Array>): Promise<Restored> {
  await using store = await openDatabase(location, 'writer')
  await using ledger = await openDatabase(location, 'ledger')
  await migrate(store)
  await migrateLedger(ledger)
  // The databases stay open until this is done.
  return await store.transaction(async storing =>
    ledger.transaction(async noting => {
      await assertEmpty(storing, noting)
      const restore = new Restore(storing, noting)
      const lines: Line[] = []
      const splitter = new LineSplitter(line => lines.push(line))
      for await (const chunk of chunks) {
        splitter.push(chunk)
        for (const line of lines.splice(0)) await restore.take(line)
      }
      splitter.end()
      for (const line of lines.splice(0)) await restore.take(line)
      await restore.end()
      return restore.counts
    }),
  )
}

async function assertEmpty(store: Transaction, ledger: Transaction): Promise<void> {
  const plain = EXPORTED_TABLES.filter(({ part }) => part === 'store').map(({ table }) => table.name)
  for (const table of [...plain, 'blobs', 'records']) {
    const row = await store.get(`SELECT owner_id FROM ${table} LIMIT 1`)
    if (row) throw notEmpty(table)
  }
  const owners = await store.all<{ owner_id: string }>('SELECT owner_id FROM owners')
  for (const { owner_id } of owners) {
    const row = await ledger.get('SELECT owner_id FROM disclosures WHERE owner_id = ? LIMIT 1', [owner_id])
    if (row) throw notEmpty('disclosures')
  }
}

function notEmpty(table: string): CodedError {
  return new CodedError(
    'store_not_empty',
    `The store already contains data (${table}). Restore the export into an empty one.`,
  )
}

/** Processes the lines of an export in order. */
class Restore {
  readonly counts: Restored = {}
  readonly #store: Transaction
  readonly #ledger: Transaction
  readonly #hash = createHash('sha256')
  #lines = 0
  #owner = ''
  #blobs: RestoredBlobs | null = null
  #records: RestoredRecords | null = null
  #exported: ExportedTable | null = null
  #rows: Record<string, string | number | null>[] = []
  #ended = false

  constructor(store: Transaction, ledger: Transaction) {
    this.#store = store
    this.#ledger = ledger
  }

  async take({ no, text }: Line): Promise<void> {
    if (this.#ended) throw invalid(no, 'comes after the end marker')
    const value = text === null ? null : jsonOrNull(text)
    if (text === null || !isObject(value)) throw invalid(no, 'is not a JSON object')
    try {
      if (value.object !== 'bytes') await this.#blobs?.end()
      if (value.object === 'end') this.#finish(value)
      else {
        await this.#restore(value, no)
        this.#hash.update(text).update('\n')
        this.#lines++
        this.counts[String(value.object)] = (this.counts[String(value.object)] ?? 0) + 1
      }
    } catch (error) {
      throw error instanceof Malformed ? invalid(no, error.message) : error
    }
  }

  async end(): Promise<void> {
    if (!this.#ended) {
      throw new CodedError(
        'invalid_export',
        'The export is incomplete: its last line is missing. Nothing was restored.',
      )
    }
    await this.#flush()
    await this.#records?.end()
  }

  async #restore(value: JsonObject, no: number): Promise<void> {
    if (no === 1) return this.#begin(value)
    const { object } = value
    if (object === 'record') return this.#records?.take(value)
    if (object === 'blob') return this.#blobs?.take(value)
    if (object === 'bytes') return this.#blobs?.append(value)
    const exported = EXPORTED_TABLES.find(candidate => candidate.object === object)
    if (!exported) throw new Malformed(`is of an unknown kind, ${JSON.stringify(object)}`)
    const { table, json, without } = exported
    if (table === DECLARATIONS) parseDeclaration(value.content ?? null)
    if (exported !== this.#exported || this.#rows.length >= ROWS_AT_ONCE) await this.#flush()
    this.#exported = exported
    const written = Object.fromEntries(json.map(column => [column, JSON.stringify(value[column] ?? null)]))
    this.#rows.push({
      ...readColumns(table, columnsOf(table, ['owner_id', ...without]), { ...value, ...written }),
      owner_id: this.#owner,
    })
  }

  async #begin(value: JsonObject): Promise<void> {
    if (value.object !== 'export') throw new Malformed('is not the start of a Footnote export')
    if (value.format !== EXPORT_FORMAT)
      throw new Malformed(`is of format ${value.format}; this Footnote reads format ${EXPORT_FORMAT}`)
    const owner = readColumns(OWNERS, ['owner_id', 'created_at', 'catalog_seq', 'change_seq'], value)
    this.#owner = owner.owner_id
    await this.#store.run('DELETE FROM owners')
    await this.#store.insert(OWNERS, [{ ...NOTHING_NUMBERED, ...owner }])
    this.#blobs = new RestoredBlobs(this.#store, this.#owner)
    this.#records = new RestoredRecords(this.#store, this.#owner)
  }

  async #flush(): Promise<void> {
    const rows = this.#rows
    this.#rows = []
    if (!this.#exported || rows.length === 0) return
    const { part, table } = this.#exported
    await (part === 'ledger' ? this.#ledger : this.#store).insert(table, rows)
  }

  #finish(value: JsonObject): void {
    if (value.lines !== this.#lines || value.digest !== `sha256:${this.#hash.digest('hex')}`)
      throw new Malformed('does not match the lines before it: they were changed')
    this.#ended = true
  }
}

function invalid(line: number, reason: string): CodedError {
  return new CodedError('invalid_export', `Line ${line} ${reason}. Nothing was restored.`, { line })
}

interface OpenBlob {
  row: Row<typeof BLOBS>
  hash: Hash
  size: number
  pieces: number
}

/** Writes the blobs of an export: a line for each, then lines with its bytes. */
class RestoredBlobs {
  readonly #transaction: Transaction
  readonly #owner: string
  #open: OpenBlob | null = null

  constructor(transaction: Transaction, owner_id: string) {
    this.#transaction = transaction
    this.#owner = owner_id
  }

  async take(value: JsonObject): Promise<void> {
    const columns = readColumns(BLOBS, ['blob_id', 'mime_type', 'size_bytes', 'created_at'], value)
    const row = { ...columns, owner_id: this.#owner, upload_id: timeOrderedId(new Date()) }
    this.#open = { row, hash: createHash('sha256'), size: 0, pieces: 0 }
  }

  async append(value: JsonObject): Promise<void> {
    const blob = this.#open
    if (!blob) throw new Malformed('has bytes that belong to no blob')
    if (typeof value.base64 !== 'string') throw new Malformed('has no base64')
    const bytes = Buffer.from(value.base64, 'base64')
    if (blob.size !== blob.pieces * PIECE_BYTES || bytes.length > PIECE_BYTES)
      throw new Malformed('has bytes that are not split like those of a blob')
    blob.hash.update(bytes)
    blob.size += bytes.length
    const { owner_id, upload_id } = blob.row
    await this.#transaction.insert(BLOB_PIECES, [{ owner_id, upload_id, piece_no: blob.pieces++, bytes }])
  }

  /** Ends the open blob, whose bytes must match its id. */
  async end(): Promise<void> {
    const blob = this.#open
    if (!blob) return
    this.#open = null
    const { blob_id, size_bytes } = blob.row
    if (blob.size !== size_bytes || blobIdOf(blob.hash) !== blob_id)
      throw new Malformed(`follows a blob whose bytes are not its own (${blob_id})`)
    await this.#transaction.insert(BLOBS, [blob.row])
  }
}
