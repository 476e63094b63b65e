import { createHash } from 'node:crypto'
import { isObject, parseJson } from '../../model/json.ts'
import { type LongText, putAt } from '../../model/reading/record.ts'

import { withoutNumbers } from '../../model/reading/record-history.ts'

import * as access from '../access/tables.ts'

import type { Queryable, Value } from '../engine/database.ts'
import { columnsOf, type Row, type Table } from '../engine/table.ts'
import { readBlob } from '../records/blobs.ts'
import { spliceTexts, textMark } from '../records/long-text.ts'
import { parsedHistory } from '../records/records.ts'
import * as records from '../records/tables.ts'

import { BLOBS, RECORDS, type StoredRow } from '../records/tables.ts'

/** A table whose rows are exported and restored unchanged; JSON columns are written as JSON. */
export interface ExportedTable {
  /** The name of this kind of row in a line. */
  object: string
  table: Table
  json: readonly string[]
  /** Columns that are not exported: what clients asked is kept separate from what they were shown. */
  without: readonly string[]
  part: 'store' | 'ledger'
}

function exported(
  object: string,
  table: Table,
  json: readonly string[] = [],
  without: readonly string[] = [],
): ExportedTable {
  return { object, table, json, without, part: 'store' }
}

/** Tables that are exported row by row, in this order. The owner, blobs and records have their own line formats. */
export const EXPORTED_TABLES: readonly ExportedTable[] = [
  exported('declaration', records.DECLARATIONS, ['content']),
  exported('connection', records.CONNECTIONS),
  exported('client', access.CLIENTS),
  exported('grant', access.GRANTS, ['content']),
  exported('token', access.TOKENS),
  exported('token_grant', access.TOKEN_GRANTS),
  exported('consent', access.CONSENTS, ['evidence']),
  exported('consent_grant', access.CONSENT_GRANTS),
  exported('audit_event', access.AUDIT_EVENTS),
  exported('import', records.IMPORTS),
  exported('import_rejection', records.IMPORT_REJECTIONS),
  exported('provenance', records.PROVENANCE),
  exported('owner_item', records.OWNER_ITEMS, ['content']),
  { ...exported('disclosure', access.DISCLOSURES, ['shown', 'decided'], ['query']), part: 'ledger' },
  { ...exported('ledger_mark', access.LEDGER_MARKS), part: 'ledger' },
]

/** Columns of records that are exported unchanged. The others are written in another form, or computed again. */
export const PLAIN_RECORD_COLUMNS = columnsOf(records.RECORDS, [
  'owner_id',
  'record_key',
  'long_id',
  'deleted',
  'thread_key',
  'place_key',
  'order_key',
  'data',
  'long_texts',
  'history',
  'first_row',
  'row_count',
  'earliest_key',
  'latest_key',
])

export const EXPORT_FORMAT = 2

const ROWS_AT_ONCE = 200

/**
 * Everything of an owner as JSON lines, in an order that depends only on the content: equal stores give equal bytes on
 * every engine. The last line has the number of lines and their digest.
 */
export async function* exportLines(
  store: Queryable,
  ledger: Queryable,
  owner_id: string,
): AsyncGenerator<string> {
  const hash = createHash('sha256')
  let lines = 0
  for await (const chunk of everything(store, ledger, owner_id)) {
    hash.update(chunk)
    if (chunk.endsWith('\n')) lines++
    yield chunk
  }
  yield line({ object: 'end', lines, digest: `sha256:${hash.digest('hex')}` })
}

async function* everything(store: Queryable, ledger: Queryable, owner_id: string): AsyncGenerator<string> {
  const owner = await store.get<{ created_at: string; catalog_seq: number; change_seq: number }>(
    'SELECT created_at, catalog_seq, change_seq FROM owners WHERE owner_id = ?',
    [owner_id],
  )
  yield line({ object: 'export', format: EXPORT_FORMAT, owner_id, ...owner })
  for (const table of EXPORTED_TABLES.filter(({ part }) => part === 'store'))
    yield* tableLines(store, table, owner_id)
  yield* blobLines(store, owner_id)
  yield* recordLines(store, owner_id)
  for (const table of EXPORTED_TABLES.filter(({ part }) => part === 'ledger'))
    yield* tableLines(ledger, table, owner_id)
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`
}

async function* tableLines(
  database: Queryable,
  { object, table, json, without }: ExportedTable,
  owner_id: string,
): AsyncGenerator<string> {
  const columns = columnsOf(table, ['owner_id', ...without])
  for await (const row of rowsOf(database, table, columns, owner_id)) {
    const members = columns.map(column => {
      const value = row[column] as string | number | null
      const written = json.includes(column) && value !== null ? value : JSON.stringify(value)
      return `${JSON.stringify(column)}:${written}`
    })
    yield `{"object":${JSON.stringify(object)},${members.join(',')}}\n`
  }
}

/** The rows of an owner in the order of their key, a few at a time. */
async function* rowsOf(
  database: Queryable,
  { name, key }: Table,
  columns: readonly string[],
  owner_id: string,
): AsyncGenerator<Record<string, Value>> {
  const order = key.filter(column => column !== 'owner_id')
  const beyond = `(${order.join(', ')}) > (${order.map(() => '?').join(', ')})`
  let last: Value[] | null = null
  for (;;) {
    const rows: Record<string, Value>[] = await database.all(
      `SELECT ${columns.join(', ')} FROM ${name} WHERE owner_id = ?${last ? ` AND ${beyond}` : ''}
       ORDER BY ${order.join(', ')} LIMIT ?`,
      [owner_id, ...(last ?? []), ROWS_AT_ONCE],
    )
    yield* rows
    const end = rows.at(-1)
    if (!end || rows.length < ROWS_AT_ONCE) return
    last = order.map(column => end[column] ?? null)
  }
}

async function* blobLines(database: Queryable, owner_id: string): AsyncGenerator<string> {
  for await (const each of rowsOf(database, BLOBS, columnsOf(BLOBS, ['owner_id']), owner_id)) {
    const { upload_id, ...blob } = each as Row<typeof BLOBS>
    yield line({ object: 'blob', ...blob })
    for await (const bytes of readBlob(database, owner_id, upload_id, 0, blob.size_bytes))
      yield line({ object: 'bytes', base64: Buffer.from(bytes).toString('base64') })
  }
}

async function* recordLines(database: Queryable, owner_id: string): AsyncGenerator<string> {
  for await (const each of rowsOf(database, RECORDS, columnsOf(RECORDS), owner_id)) {
    const row = each as StoredRow
    const history = parsedHistory(row.history)
    const head = {
      object: 'record',
      record_id: row.long_id ?? row.record_key,
      ...Object.fromEntries(PLAIN_RECORD_COLUMNS.map(column => [column, row[column]])),
      history: history && withoutNumbers(history),
    }
    if (row.deleted === 1) {
      yield line({ ...head, deleted: true })
      continue
    }
    const start = `${JSON.stringify(head).slice(0, -1)},"data":`
    if (row.long_texts === null) yield `${start}${row.data}}\n`
    else {
      yield start
      yield* wholeData(database, owner_id, row.data, JSON.parse(row.long_texts))
      yield '}\n'
    }
  }
}

async function* wholeData(
  database: Queryable,
  owner_id: string,
  data: string,
  texts: LongText[],
): AsyncGenerator<string> {
  const parsed = parseJson(data)
  const mark = textMark()
  if (isObject(parsed)) for (const [index, { path }] of texts.entries()) putAt(parsed, path, mark(index))
  yield* spliceTexts(database, owner_id, JSON.stringify(parsed), mark, texts)
}
