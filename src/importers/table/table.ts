import { CodedError } from '../../model/errors.ts'
import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { rejection } from '../events.ts'
import type { Finding, ImportEvent, Recognise } from '../importer.ts'
import { rejectedFile } from '../reading/exported-files.ts'
import { repeatCounter, repeatedId } from '../record-id.ts'
import { zoneOf } from '../times.ts'
import { declarationOf } from './declaration.ts'
import { type Item, itemsOf } from './items.ts'
import { nameOfOnly, rowsOf, streamsOf, type TableStream } from './streams.ts'
import { type Table, type Tables, tablesOf } from './tables.ts'

export const recognise: Recognise = async (_, source) => {
  const found = await tablesOf(source)
  // A folder may get more files of the same shape, so its stream is not named after the first one.
  const finding = findingOf(
    found,
    streamsOf(found.tables, source.kind === 'folder' ? () => 'rows' : nameOfOnly),
    source.timeZone,
  )
  if (finding) return finding
  const { refused, empty } = found
  const [first] = refused
  if (first)
    return { lookalike: `${first.file.path}: ${first.reason}`, files: refused.map(({ file }) => file) }
  const [nothing] = empty
  if (!nothing) return null
  const what = nothing.size === 0 ? 'is empty' : 'contains no rows'
  return { lookalike: `${nothing.path} ${what}.`, files: empty }
}

function findingOf(
  found: Tables,
  streams: readonly TableStream[],
  timeZone: string | undefined,
): Finding | null {
  if (streams.length === 0) return null
  const { tables, refused, empty } = found
  const taken = streams.flatMap(stream => stream.tables)
  return {
    files: [...new Set([...[...taken, ...refused].map(({ file }) => file), ...empty])],
    items: rowsOf(taken),
    exact: false,
    span: null,
    declaration: declarationOf(streams),
    account: null,
    name: null,
    async *read(from) {
      if (from === null) {
        for (const { file, reason } of refused)
          yield rejection(file.path, { code: 'not_a_table', message: reason })
      }
      yield* readTables(streams, from, timeZone)
    },
    ...(streams.length === 1 && {
      withStream: (name: string) =>
        findingOf(
          found,
          streamsOf(tables, () => name),
          timeZone,
        ) as Finding,
    }),
  }
}

const ROWS_BETWEEN_CHECKPOINTS = 500

async function* readTables(
  streams: readonly TableStream[],
  from: Json | null,
  timeZone: string | undefined,
): AsyncGenerator<ImportEvent> {
  const start = isObject(from)
    ? { table: Number(from.table), item: Number(from.item) }
    : { table: 0, item: 0 }
  // In the order of the source, because some archives can only be read from start to end.
  const all = streams
    .flatMap(stream => stream.tables.map(table => ({ stream, table })))
    .sort((a, b) => a.table.order - b.table.order)
  const bytes = all.reduce((sum, { table }) => sum + table.file.size, 0) || 1
  const counters = new Map(streams.map(stream => [stream, repeatCounter()]))
  let before = 0
  for (const [index, { stream, table }] of all.entries()) {
    const { file, layout } = table
    const repeats = counters.get(stream) ?? repeatCounter()
    let items = 0
    try {
      for await (const item of itemsOf(file, layout)) {
        // Rows that are already stored are read too, to detect later rows that repeat them.
        const event = eventOf(item, stream, { table, repeats, timeZone }, items + 1)
        items++
        if (index < start.table || (index === start.table && items <= start.item)) continue
        yield event
        if (items % ROWS_BETWEEN_CHECKPOINTS !== 0) continue
        const done = Math.min(1, (before + item.end) / bytes)
        yield { kind: 'checkpoint', state: { table: index, item: items }, done }
      }
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      yield rejectedFile(file, error, items)
    }
    before += file.size
    if (index < start.table) continue
    yield { kind: 'checkpoint', state: { table: index + 1, item: 0 }, done: Math.min(1, before / bytes) }
  }
}

interface Reading {
  table: Table
  repeats: (id: string) => number
  timeZone: string | undefined
}

function eventOf(
  item: Item,
  stream: TableStream,
  { table, repeats, timeZone }: Reading,
  position: number,
): ImportEvent {
  const { place, row } = item
  if (row === null) return rejection(place, item.problem)
  const { fields, columns, conversation } = stream
  const { time, clock, zone } = stream.roles
  const data: JsonObject = {}
  const other: JsonObject = {}
  const key = keyOf(row, stream, table, repeats)
  data[fields.id] = key
  const file = table.file.path.replace(/\.[a-z0-9]+$/i, '')
  if (stream.filePerRow) data[fields.file] = file.replace(/^.*\//, '')
  if (conversation?.key === null) data[fields.file] = file
  if (conversation?.within === 'position') data[fields.position] = position
  const known = new Set<string>()
  for (const column of columns) {
    known.add(column.source)
    const written = Object.hasOwn(row, column.source) ? (row[column.source] ?? null) : null
    const value = written === null ? null : column.read(written)
    data[column.name] = value ?? null
    if (value === undefined) other[column.name] = written
  }
  const tableColumns = known.size
  for (const [name, value] of Object.entries(row)) {
    if (!known.has(name)) Object.defineProperty(other, name, { value, enumerable: true })
  }
  for (const [index, cell] of item.beyond.entries()) {
    if (cell.trim() !== '') other[`column_${tableColumns + index + 1}`] = cell
  }
  if (time) {
    const written = Object.hasOwn(row, time.source) ? (row[time.source] ?? null) : null
    const at = clock && typeof written === 'string' ? `${written} ${row[clock.source] ?? ''}`.trim() : null
    const own = zone && row[zone.source]
    const timeOf = (value: Json) =>
      time.timeOf?.(value, (typeof own === 'string' && zoneOf(own)) || timeZone) ?? null
    const read = (at === null ? null : timeOf(at)) ?? (written === null ? null : timeOf(written))
    data[fields.time] = read?.utc ?? null
    data[fields.localTime] = read?.local ?? null
  }
  data[fields.other] = Object.keys(other).length > 0 ? other : null
  return { kind: 'record', stream: stream.name, key, data, place }
}

/** The id is derived from the row's own id, its file or its whole content. Identical rows are numbered. */
function keyOf(row: JsonObject, stream: TableStream, table: Table, repeats: (id: string) => number): string {
  const written = stream.roles.key === null ? null : (row[stream.roles.key.source] ?? null)
  const own =
    written === null || written === ''
      ? null
      : typeof written === 'string'
        ? written
        : JSON.stringify(written)
  const id = stream.filePerRow
    ? `file ${table.file.path.normalize('NFC')}`
    : own === null
      ? `row ${JSON.stringify(row)}`
      : `id ${own}`
  const repeat = repeats(id)
  return repeatedId(repeat, 'table row', stream.name, id)
}
