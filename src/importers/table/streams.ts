import type { JsonObject } from '../../model/json.ts'
import { SHIPPED_SOURCES } from '../shipped-sources.ts'
import { byPath } from '../source/bounds.ts'
import { tellingName } from '../source/telling-name.ts'
import { type DayOrder, dayOrderOf } from '../written-time.ts'
import { type Column, jsonColumn, textColumn } from './columns.ts'
import { conversationOf, type TableConversation } from './conversation.ts'
import { columnTitle } from './items.ts'
import { type ColumnRoles, rolesOf } from './roles.ts'
import { columnsOf, type Table } from './tables.ts'

/** Rows of one shape, from one file or several. */
export interface TableStream {
  name: string
  tables: Table[]
  columns: Column[]
  roles: ColumnRoles
  /** How the rows form conversations; null if they do not. */
  conversation: TableConversation | null
  /** Names of the fields that are not columns. */
  fields: { id: string; time: string; localTime: string; other: string; file: string; position: string }
  /** Whether each file is one row. */
  filePerRow: boolean
}

const MOST_STREAMS = 200
const MOST_COLUMNS = 300
const ALIKE_OBJECTS = 0.6
const ALIKE_ROWS = 0.8
/** The streams of other formats, which have other fields. */
const SHIPPED_STREAMS = new Set(SHIPPED_SOURCES.flatMap(({ streams }) => streams.map(({ name }) => name)))
const GENERIC = /^(data|items?|results?|rows?|records?|list|values?|entries|elements|objects)$/i

/**
 * Tables with the same columns become one stream, and so do single objects that share most of their keys. A single
 * object that resembles no other and contains no list of objects is taken for settings, not for a record. `only` names
 * the stream if there is only one.
 */
export function streamsOf(
  tables: readonly Table[],
  only: (tables: readonly Table[]) => string,
): TableStream[] {
  const groups: { tables: Table[]; columns: Set<string>; family: string }[] = []
  // Sorted by path, because archives may not be, so that the same files give the same streams.
  for (const table of tables.toSorted((a, b) => byPath(a.file, b.file))) {
    const columns = new Set(columnsOf(table))
    const family = table.layout.kind === 'lines' ? 'list' : table.layout.kind
    const group = groups.find(each => each.family === family && areAlike(each.columns, columns, family))
    if (group) {
      group.tables.push(table)
      for (const column of columns) group.columns.add(column)
    } else groups.push({ tables: [table], columns, family })
  }
  const records = groups.filter(
    ({ tables, family }) => family !== 'object' || tables.length > 1 || holdsLists(tables),
  )
  const kept = records.toSorted((a, b) => rowsOf(b.tables) - rowsOf(a.tables)).slice(0, MOST_STREAMS)
  const shown = groups.filter(group => kept.includes(group))
  const names = fieldNames(
    shown.map(group => (shown.length === 1 ? only(group.tables) : nameOfGroup(group.tables))),
    [],
    false,
  )
  return shown.map((group, index) => streamOf(names[index] ?? 'rows', group.tables, group.family))
}

function holdsLists(tables: readonly Table[]): boolean {
  return tables.some(({ layout }) => layout.kind === 'object' && layout.hasLists)
}

export function rowsOf(tables: readonly Table[]): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0)
}

function areAlike(a: ReadonlySet<string>, b: ReadonlySet<string>, family: string): boolean {
  const common = a.intersection(b).size
  const all = a.union(b).size
  if (family === 'csv') return common === all
  return common / Math.max(1, all) >= (family === 'object' ? ALIKE_OBJECTS : ALIKE_ROWS)
}

/** The name of the only stream of a file, which is the same for a newer file with another date in its name. */
export function nameOfOnly(tables: readonly Table[]): string {
  const [first] = tables
  const isOneFile = tables.every(({ file }) => file === first?.file)
  const telling = isOneFile ? tellingName(nameOfGroup(tables), 'table') : null
  const name = streamName((telling ?? '').replace(/^[\d_]+|(?<=.{3})[\d_]+$/g, ''))
  return SHIPPED_STREAMS.has(name) ? `${name}_table` : name
}

function nameOfGroup(tables: readonly Table[]): string {
  const [first] = tables
  const key = first?.layout.kind === 'list' ? first.layout.path.at(-1) : undefined
  if (key !== undefined && !GENERIC.test(key)) return streamName(key)
  return commonName(tables.map(({ file }) => file.path))
}

function streamOf(name: string, tables: Table[], family: string): TableStream {
  const isCsv = family === 'csv'
  const rows = tables.flatMap(({ sample }) => sample)
  const sources = columnsByUse(rows, isCsv)
  const filePerRow = family === 'object'
  const titles = sources.map(source => (isCsv ? columnTitle(source) : source))
  const names = fieldNames(titles, [], !isCsv)
  const order = isCsv ? dayOrderIn(tables, rows) : null
  const columns = sources.map((source, index): Column => {
    const field = names[index] ?? source
    const values = rows.map(row => (Object.hasOwn(row, source) ? (row[source] ?? null) : null))
    if (!isCsv) return jsonColumn(source, field, values)
    const texts = values.map(value => (value === null ? '' : String(value)))
    return textColumn(source, titles[index] ?? '', field, texts, order)
  })
  const [id = '', time = '', localTime = '', other = '', file = '', position = ''] = fieldNames(
    ['row_id', 'occurred_at', 'occurred_at_local', 'other_values', 'file_name', 'position'],
    names,
    false,
  )
  const fields = { id, time, localTime, other, file, position }
  const roles = rolesOf(columns, rows.length)
  const conversation = filePerRow ? null : conversationOf(columns, roles, rows)
  const all = withCurrencies(columns, [...names, ...Object.values(fields)])
  return { name, tables, columns: all, roles, conversation, fields, filePerRow }
}

/** After each column of amounts, one of their currencies. */
function withCurrencies(columns: readonly Column[], taken: readonly string[]): Column[] {
  return columns.flatMap(column => {
    const { currencyOf } = column
    if (currencyOf === null) return column
    const [name = ''] = fieldNames([`${column.name}_currency`], taken, true)
    const title = column.title === '' ? '' : `${column.title} (currency)`
    return [column, { ...column, title, name, kind: 'text' as const, read: currencyOf, currencyOf: null }]
  })
}

/**
 * The order of day and month in all dates of a table. Where semicolons separate cells, because commas are in numbers, the
 * day comes first.
 */
function dayOrderIn(tables: readonly Table[], rows: readonly JsonObject[]): DayOrder {
  const hasCommas = tables.every(({ layout }) => layout.kind === 'csv' && layout.dialect.delimiter === ';')
  return dayOrderOf(rows.flatMap(row => Object.values(row).map(String))) ?? (hasCommas ? 'day-first' : null)
}

/** In the order of the file. If there are too many, those that occur in most rows. */
function columnsByUse(rows: readonly JsonObject[], isCsv: boolean): string[] {
  const used = new Map<string, number>()
  for (const row of rows) for (const key of Object.keys(row)) used.set(key, (used.get(key) ?? 0) + 1)
  if (isCsv || used.size <= MOST_COLUMNS) return [...used.keys()]
  const most = [...used].sort((a, b) => b[1] - a[1]).slice(0, MOST_COLUMNS)
  const kept = new Set(most.map(([key]) => key))
  return [...used.keys()].filter(key => kept.has(key))
}

/** Unique names for URLs and filters: letters, digits and `_`. */
function fieldNames(sources: readonly string[], reserved: readonly string[], keepCase: boolean): string[] {
  const taken = new Set(reserved)
  const counts = new Map<string, number>()
  return sources.map((source, index) => {
    const plain = simple(source, keepCase)
    const base = plain === '' || plain === '__proto__' ? `column_${index + 1}` : plain
    let name = base
    let count = counts.get(base) ?? 1
    while (taken.has(name)) name = `${base}_${++count}`
    counts.set(base, count)
    taken.add(name)
    return name
  })
}

function simple(source: string, keepCase: boolean): string {
  const written = source.normalize('NFC').trim()
  if (keepCase && /^[\p{L}_][\p{L}\p{N}\p{M}_]*$/u.test(written) && written.length <= 64) return written
  const parts = keepCase ? written : written.replace(/(\p{Ll}|\d)(?=\p{Lu}\p{Ll})/gu, '$1_')
  const words = parts.replace(/[^\p{L}\p{N}\p{M}]+/gu, '_').replace(/^_+|_+$/g, '')
  return [...(keepCase ? words : words.toLowerCase())].slice(0, 64).join('')
}

/** The name of a stream, from the name of a file or key, without what Notion adds to it. */
function streamName(source: string): string {
  const file = source
    .slice(source.lastIndexOf('/') + 1)
    .replace(/\.[a-z0-9]{1,8}$/i, '')
    .replace(/[ _][0-9a-f]{32}(?:_all)?$/, '')
  return simple(file, false) || 'rows'
}

/** The common prefix of the file names, if it is long enough; otherwise the name of their folder. */
function commonName(paths: readonly string[]): string {
  const names = paths.map(streamName)
  const [first = 'rows'] = names
  if (new Set(names).size <= 1) return first
  const common = commonStart(names).replace(/[\d_]+$/, '')
  if (common.length >= 3) return common
  const folder = commonStart(paths).replace(/\/?[^/]*$/, '')
  return folder === '' ? first : streamName(folder)
}

function commonStart(texts: readonly string[]): string {
  const [first = ''] = texts
  let length = first.length
  for (const text of texts) while (!text.startsWith(first.slice(0, length))) length--
  return first.slice(0, length)
}
