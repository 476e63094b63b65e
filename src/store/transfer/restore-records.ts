import { blobReferences } from '../../model/declaration/blob.ts'
import { NO_PLACE } from '../../model/declaration/conversation.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import { isObject, type JsonObject } from '../../model/json.ts'
import { takeLongTexts } from '../../model/reading/record.ts'
import type { Transaction } from '../engine/database.ts'
import type { Row, Table } from '../engine/table.ts'
import { writeTexts } from '../ingest/write-records.ts'
import { BLOB_REFERENCES, RECORDS, SEARCH_STATE, type StoredRow, TALLIES } from '../records/tables.ts'
import { PLAIN_RECORD_COLUMNS } from './export.ts'

/** What is wrong with a line of an export; its number is added where it is known. */
export class Malformed extends Error {}

const TYPES = { text: 'string', bigint: 'number' } as const

/** Columns of a table from the members of a line, which have the same names. */
export function readColumns<T extends Table, Name extends keyof T['columns'] & string>(
  { columns }: T,
  names: readonly Name[],
  line: JsonObject,
): Pick<Row<T>, Name> {
  const entries = names.map(name => {
    const type = (columns[name] ?? 'text') as 'text' | 'text?' | 'bigint' | 'bigint?'
    const value = line[name] ?? null
    const wanted = TYPES[type.replace('?', '') as keyof typeof TYPES]
    if (value === null && !type.endsWith('?')) throw new Malformed(`has no ${name}`)
    if (value !== null && typeof value !== wanted)
      throw new Malformed(`has a ${name} that is not a ${wanted}`)
    return [name, value]
  })
  return Object.fromEntries(entries)
}

const RECORDS_AT_ONCE = 200

type Place = Pick<StoredRow, 'owner_id' | 'connection_id' | 'stream'>

/** Writes the records of an export and everything stored with them; their words are indexed later. */
export class RestoredRecords {
  readonly #transaction: Transaction
  readonly #owner: string
  readonly #tallies = new Map<string, Row<typeof TALLIES>>()
  readonly #streams = new Map<string, Place>()
  #rows: StoredRow[] = []
  #references: Row<typeof BLOB_REFERENCES>[] = []

  constructor(transaction: Transaction, owner_id: string) {
    this.#transaction = transaction
    this.#owner = owner_id
  }

  async take(value: JsonObject): Promise<void> {
    const columns = readColumns(RECORDS, PLAIN_RECORD_COLUMNS, value)
    const { connection_id, stream, time_key } = columns
    const place = { owner_id: this.#owner, connection_id, stream }
    if (typeof value.record_id !== 'string') throw new Malformed('has no record_id')
    const { record_id } = value
    const record_key = recordKey(record_id)
    const deleted = value.deleted === true
    const content = deleted ? { data: '', long_texts: null } : await this.#content(value, place, record_key)
    this.#streams.set(`${connection_id} ${stream}`, place)
    if (!deleted) this.#count(place, (time_key ?? '').slice(1, 11))
    this.#rows.push({
      ...columns,
      ...place,
      ...content,
      record_key,
      long_id: record_key === record_id ? null : record_id,
      deleted: deleted ? 1 : 0,
      history: value.history == null ? null : JSON.stringify(value.history),
      ...NO_PLACE,
      first_row: 0,
      row_count: 0,
      earliest_key: null,
      latest_key: null,
    })
    if (this.#rows.length >= RECORDS_AT_ONCE) await this.#flush()
  }

  async end(): Promise<void> {
    await this.#flush()
    await this.#transaction.insert(TALLIES, [...this.#tallies.values()])
    const states = [...this.#streams.values()].map(place => ({ ...place, version: '' }))
    await this.#transaction.insert(SEARCH_STATE, states)
  }

  async #content(
    value: JsonObject,
    place: Place,
    record_key: string,
  ): Promise<{ data: string; long_texts: string | null }> {
    if (!isObject(value.data)) throw new Malformed('has data that is not a JSON object')
    const { data, texts } = takeLongTexts(value.data)
    for (const { field, blob_id } of blobReferences(data))
      this.#references.push({ ...place, blob_id, record_key, field: recordKey(field) })
    const long_texts = await writeTexts(this.#transaction, this.#owner, texts)
    return { data: JSON.stringify(data), long_texts }
  }

  #count(place: Place, day: string): void {
    const key = `${place.connection_id} ${day} ${place.stream}`
    const tally = this.#tallies.get(key) ?? { ...place, day, n: 0 }
    tally.n++
    this.#tallies.set(key, tally)
  }

  async #flush(): Promise<void> {
    const [rows, references] = [this.#rows, this.#references]
    this.#rows = []
    this.#references = []
    await this.#transaction.insert(RECORDS, rows)
    await this.#transaction.insert(BLOB_REFERENCES, references)
  }
}
