import { blobReferences } from '../../model/declaration/blob.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import { isObject, type JsonObject } from '../../model/json.ts'
import { takeLongTexts } from '../../model/reading/long-text.ts'
import type { LongText } from '../../model/reading/record.ts'
import type { Params, Transaction } from '../engine/database.ts'
import { BLOB_REFERENCES, RECORDS, TALLIES, writePieces } from '../ingest/write-records.ts'
import { reserveTexts } from '../records/owners.ts'
import { columnValue, Malformed } from './restore-lines.ts'

const RECORDS_AT_ONCE = 200

/** Writes the records of an export with all that is kept beside them; their words are indexed later. */
export class RestoredRecords {
  readonly #transaction: Transaction
  readonly #owner: string
  readonly #tallies = new Map<string, number>()
  readonly #streams = new Set<string>()
  #rows: Params[] = []
  #references: Params[] = []

  constructor(transaction: Transaction, owner_id: string) {
    this.#transaction = transaction
    this.#owner = owner_id
  }

  async take(value: JsonObject): Promise<void> {
    const place = ['connection_id', 'stream'].map(name => String(columnValue(value[name], name, 'string')))
    const record_id = String(columnValue(value.record_id, 'record_id', 'string'))
    const key = recordKey(record_id)
    const deleted = value.deleted === true
    const time_key = columnValue(value.time_key, 'time_key', 'string')
    const { data, long_texts } = deleted
      ? { data: '', long_texts: null }
      : await this.#content(value, place, key)
    this.#streams.add(JSON.stringify(place))
    if (!deleted) this.#count([...place, String(time_key ?? '').slice(1, 11)])
    this.#rows.push([
      this.#owner,
      ...place,
      key,
      key === record_id ? null : record_id,
      columnValue(value.seq, 'seq', 'number'),
      columnValue(value.version, 'version', 'number'),
      deleted ? 1 : 0,
      columnValue(value.sort_key, 'sort_key', 'string'),
      time_key,
      columnValue(value.emitted_at, 'emitted_at', 'string'),
      columnValue(value.changed_at, 'changed_at', 'string'),
      data,
      long_texts,
      value.history == null ? null : JSON.stringify(value.history),
      0,
      0,
    ])
    if (this.#rows.length >= RECORDS_AT_ONCE) await this.#flush()
  }

  async end(): Promise<void> {
    await this.#flush()
    const tallies = [...this.#tallies].map(([key, n]): Params => [this.#owner, ...JSON.parse(key), n])
    await this.#transaction.upsert(TALLIES, tallies)
    for (const stream of this.#streams) {
      await this.#transaction.run(
        `INSERT INTO search_state (owner_id, connection_id, stream, version) VALUES (?, ?, ?, '')`,
        [this.#owner, ...JSON.parse(stream)],
      )
    }
  }

  async #content(
    value: JsonObject,
    place: string[],
    key: string,
  ): Promise<{ data: string; long_texts: string | null }> {
    if (!isObject(value.data)) throw new Malformed('has data that is no JSON object')
    const { data, texts } = takeLongTexts(value.data)
    for (const { field, blob_id } of blobReferences(data)) {
      this.#references.push([this.#owner, blob_id, ...place, key, recordKey(field)])
    }
    if (texts.length === 0) return { data: JSON.stringify(data), long_texts: null }
    let text_no = await reserveTexts(this.#transaction, this.#owner, texts.length)
    const stored: LongText[] = []
    for (const { path, text, size_chars, digest } of texts) {
      await writePieces(this.#transaction, this.#owner, text_no, text)
      stored.push({ path, text_no: text_no++, size_chars, digest })
    }
    return { data: JSON.stringify(data), long_texts: JSON.stringify(stored) }
  }

  #count(day: string[]): void {
    const key = JSON.stringify(day)
    this.#tallies.set(key, (this.#tallies.get(key) ?? 0) + 1)
  }

  async #flush(): Promise<void> {
    const [rows, references] = [this.#rows, this.#references]
    this.#rows = []
    this.#references = []
    await this.#transaction.upsert(RECORDS, rows)
    await this.#transaction.upsert(BLOB_REFERENCES, references)
  }
}
