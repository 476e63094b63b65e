import { createHash } from 'node:crypto'
import { isObject, parseJson } from '../../model/json.ts'
import { putAt } from '../../model/reading/long-text.ts'
import type { LongText } from '../../model/reading/record.ts'
import type { Queryable, Value } from '../engine/database.ts'
import { readBlob } from '../records/blobs.ts'
import { spliceTexts, textMark } from '../records/long-text.ts'
import { COLUMNS, type RecordRow } from '../records/records.ts'
import { EXPORTED_TABLES, type ExportedTable } from './exported-tables.ts'

export const EXPORT_FORMAT = 1

const ROWS_AT_ONCE = 200

/**
 * Everything of an owner as lines of JSON, in an order that depends on the content alone: equal stores give equal
 * bytes on every engine. The last line says how many lines there are and what they digest to.
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
  table: ExportedTable,
  owner_id: string,
): AsyncGenerator<string> {
  const columns = Object.keys(table.columns).filter(column => column !== 'owner_id')
  for await (const row of rowsOf(database, table.name, columns, table.key, owner_id)) {
    const members = columns.map(column => {
      const value = row[column] as string | number | null
      const json = table.json.includes(column) && value !== null ? value : JSON.stringify(value)
      return `${JSON.stringify(column)}:${json}`
    })
    yield `{"object":${JSON.stringify(table.object)},${members.join(',')}}\n`
  }
}

/** The rows of an owner in the order of their key, a few at a time. */
async function* rowsOf(
  database: Queryable,
  table: string,
  columns: readonly string[],
  key: readonly string[],
  owner_id: string,
): AsyncGenerator<Record<string, Value>> {
  const order = key.filter(column => column !== 'owner_id')
  const beyond = `(${order.join(', ')}) > (${order.map(() => '?').join(', ')})`
  let last: Value[] | null = null
  for (;;) {
    const rows: Record<string, Value>[] = await database.all(
      `SELECT ${columns.join(', ')} FROM ${table} WHERE owner_id = ?${last ? ` AND ${beyond}` : ''}
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
  const columns = ['blob_id', 'mime_type', 'size_bytes', 'created_at', 'upload_id']
  for await (const row of rowsOf(database, 'blobs', columns, ['blob_id'], owner_id)) {
    const { upload_id, ...blob } = row as Record<string, string> & { size_bytes: number }
    yield line({ object: 'blob', ...blob })
    for await (const bytes of readBlob(database, owner_id, upload_id ?? '', 0, blob.size_bytes)) {
      yield line({ object: 'bytes', base64: Buffer.from(bytes).toString('base64') })
    }
  }
}

async function* recordLines(database: Queryable, owner_id: string): AsyncGenerator<string> {
  const columns = ['stream', 'changed_at', ...COLUMNS.split(',').map(column => column.trim())]
  const key = ['connection_id', 'stream', 'record_key']
  for await (const each of rowsOf(database, 'records', columns, key, owner_id)) {
    const row = each as unknown as RecordRow & { stream: string; changed_at: string }
    const head = {
      object: 'record',
      connection_id: row.connection_id,
      stream: row.stream,
      record_id: row.long_id ?? row.record_key,
      seq: row.seq,
      version: row.version,
      emitted_at: row.emitted_at,
      changed_at: row.changed_at,
      sort_key: row.sort_key,
      time_key: row.time_key,
      history: row.history === null ? null : JSON.parse(row.history),
    }
    if (row.deleted === 1) {
      yield line({ ...head, deleted: true })
      continue
    }
    const beginning = `${JSON.stringify(head).slice(0, -1)},"data":`
    if (row.long_texts === null) yield `${beginning}${row.data}}\n`
    else {
      yield beginning
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
