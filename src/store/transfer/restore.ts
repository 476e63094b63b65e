import { createHash } from 'node:crypto'
import { parseDeclaration } from '../../model/declaration/declaration.ts'
import { CodedError } from '../../model/errors.ts'
import { isObject, type Json, type JsonObject, parseJson } from '../../model/json.ts'
import type { Location, Params, Transaction, Value } from '../engine/database.ts'
import { migrate, migrateLedger } from '../engine/migrations.ts'
import { openDatabase } from '../engine/open-database.ts'
import { type Line, LineSplitter } from '../ingest/ndjson.ts'
import { EXPORT_FORMAT } from './export.ts'
import { EXPORTED_TABLES, type ExportedTable } from './exported-tables.ts'
import { RestoredBlobs } from './restore-blobs.ts'
import { columnValue, Malformed } from './restore-lines.ts'
import { RestoredRecords } from './restore-records.ts'

/** How many lines of each kind were restored. */
export type Restored = Record<string, number>

const ROWS_AT_ONCE = 200

/** Writes an export into an empty place, whole or not at all. Search indexes are still to be made. */
export async function restoreInto(
  location: Location,
  chunks: AsyncIterable<Uint8Array>,
  progress: (restored: Restored) => void = () => {},
): Promise<Restored> {
  await using store = openDatabase(location, 'writer')
  await using ledger = openDatabase(location, 'ledger')
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
        progress(restore.counts)
      }
      splitter.end()
      for (const line of lines.splice(0)) await restore.take(line)
      await restore.end()
      return restore.counts
    }),
  )
}

async function assertEmpty(store: Transaction, ledger: Transaction): Promise<void> {
  const plain = EXPORTED_TABLES.filter(({ part }) => part === 'store').map(({ name }) => name)
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
    `There is data already (${table}). An export goes into an empty place.`,
  )
}

/** Takes the lines of an export in their order. */
class Restore {
  readonly counts: Restored = {}
  readonly #store: Transaction
  readonly #ledger: Transaction
  readonly #hash = createHash('sha256')
  #lines = 0
  #owner = ''
  #blobs: RestoredBlobs | null = null
  #records: RestoredRecords | null = null
  #table: ExportedTable | null = null
  #rows: Params[] = []
  #ended = false

  constructor(store: Transaction, ledger: Transaction) {
    this.#store = store
    this.#ledger = ledger
  }

  async take({ no, text }: Line): Promise<void> {
    if (this.#ended) throw invalid(no, 'stands behind the end')
    const value = text === null ? null : parsed(text)
    if (text === null || !isObject(value)) throw invalid(no, 'is no JSON object')
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
        'The export breaks off: its last line is missing. Nothing was restored.',
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
    const table = EXPORTED_TABLES.find(candidate => candidate.object === object)
    if (!table) throw new Malformed(`is of an unknown kind, ${JSON.stringify(object)}`)
    if (table.name === 'declarations') parseDeclaration(value.content ?? null)
    if (table !== this.#table || this.#rows.length >= ROWS_AT_ONCE) await this.#flush()
    this.#table = table
    this.#rows.push(
      Object.entries(table.columns).map(([column, type]): Value => {
        if (column === 'owner_id') return this.#owner
        return table.json.includes(column)
          ? JSON.stringify(value[column] ?? null)
          : columnValue(value[column], column, type === 'bigint' ? 'number' : 'string')
      }),
    )
  }

  async #begin(value: JsonObject): Promise<void> {
    if (value.object !== 'export') throw new Malformed('does not begin an export of Footnote')
    if (value.format !== EXPORT_FORMAT) {
      throw new Malformed(`is of format ${value.format}; this Footnote reads format ${EXPORT_FORMAT}`)
    }
    this.#owner = String(columnValue(value.owner_id, 'owner_id', 'string'))
    await this.#store.run('DELETE FROM owners')
    await this.#store.run(
      'INSERT INTO owners (owner_id, created_at, catalog_seq, change_seq, text_seq) VALUES (?, ?, ?, ?, 0)',
      [
        this.#owner,
        columnValue(value.created_at, 'created_at', 'string'),
        columnValue(value.catalog_seq, 'catalog_seq', 'number'),
        columnValue(value.change_seq, 'change_seq', 'number'),
      ],
    )
    this.#blobs = new RestoredBlobs(this.#store, this.#owner)
    this.#records = new RestoredRecords(this.#store, this.#owner)
  }

  async #flush(): Promise<void> {
    const rows = this.#rows
    this.#rows = []
    if (!this.#table || rows.length === 0) return
    await (this.#table.part === 'ledger' ? this.#ledger : this.#store).upsert(this.#table, rows)
  }

  #finish(value: JsonObject): void {
    if (value.lines !== this.#lines || value.digest !== `sha256:${this.#hash.digest('hex')}`) {
      throw new Malformed('says that the lines before it are not the ones that were written')
    }
    this.#ended = true
  }
}

function parsed(text: string): Json {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

function invalid(line: number, reason: string): CodedError {
  return new CodedError('invalid_export', `Line ${line} ${reason}. Nothing was restored.`, { line })
}
