import type { Json, JsonObject } from '../../model/json.ts'
import { SHIPPED_SOURCES } from '../shipped-sources.ts'
import { byPath } from '../source/bounds.ts'
import { tellingName } from '../source/telling-name.ts'
import { type Column, jsonColumn, textColumn } from './columns.ts'
import { columnTitle } from './items.ts'
import { commonName, fieldNames, streamName } from './names.ts'
import { columnsOf, type Table } from './tables.ts'

/** Rows of one shape, from one file or several. */
export interface TableStream {
  name: string
  tables: Table[]
  columns: Column[]
  /** The column with the row's own id; null if there is none. */
  key: Column | null
  time: Column | null
  title: Column | null
  text: Column | null
  actor: Column | null
  recipient: Column | null
  place: Column | null
  label: Column | null
  /** Names of the fields that are not columns. */
  fields: { id: string; time: string; localTime: string; other: string; file: string }
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
  const name = streamName((telling ?? '').replace(/^[\d_]+|[\d_]+$/g, ''))
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
  const columns = sources.map((source, index): Column => {
    const field = names[index] ?? source
    const values = rows.map(row => (Object.hasOwn(row, source) ? (row[source] ?? null) : null))
    return isCsv
      ? { ...textColumn(titles[index] ?? '', field, values.map(cellOf)), source }
      : jsonColumn(source, field, values)
  })
  const [id = '', time = '', localTime = '', other = '', file = ''] = fieldNames(
    ['row_id', 'occurred_at', 'occurred_at_local', 'other_values', 'file_name'],
    names,
    false,
  )
  const roles = rolesOf(columns, rows.length)
  return { name, tables, columns, ...roles, fields: { id, time, localTime, other, file }, filePerRow }
}

function cellOf(value: Json): string {
  return value === null ? '' : String(value)
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

const OWN_ID = /^_?(id|uuid|guid|key|_id|tweet_?id|message_?id)$/i
const OTHER_ID = /(^|[_\s-])(id|uuid|guid|hash|reference|number)$|[a-z](Id|ID|UUID)$/
const ROWS_FOR_OTHER_ID = 10

const TIME_NAMES = [
  /^(timestamp|date[_ ]?time|time|date|when)$/i,
  /^(occurred|happened|sent|received|posted|published|created|start)([_ ]?(at|on|date|time|utc))?$/i,
  /^(transaction|booking|value|order|purchase)[_ ]?date$/i,
  /date|time|created|stamp/i,
]
const LATER_TIMES = /updat|modif|edit|end|expir|due|available|delet|last|final/i
const TITLE_NAMES = [
  /^(title|headline|subject)$/i,
  /^(name|full_?name|display_?name)$/i,
  /^(label|summary|payee|merchant|description|item|item_title|header)$/i,
]
const TEXT_NAMES = [
  /^(text|full_?text|body|content|textcontent|message|context)$/i,
  /^(notes?|comments?|memo|details|description|abstract|review|answer|summary)$/i,
]
const ACTOR_NAMES = [
  /^(from|sender|author|sender_?name|author_?name|from_?name)$/i,
  /^(user|user_?name|actor|screen_?name|payee|merchant|counterparty|by|owner)$/i,
]
const RECIPIENT_NAMES = [/^(to|recipients?|receiver|addressee|to_?name)$/i]
const PLACE_NAMES = [/^(channel|folder|mailbox|room|list|project|calendar|notebook|board)(_?name)?$/i]
const LABEL_NAMES = [/^(tags?|labels?|categor(y|ies)|keywords?)$/i]

function rolesOf(columns: readonly Column[], rows: number) {
  const texts = columns.filter(({ kind, timeOf, filled }) => kind === 'text' && timeOf === null && filled > 0)
  const key =
    columns.find(column => OWN_ID.test(column.name) && isKey(column, rows)) ??
    (rows >= ROWS_FOR_OTHER_ID
      ? columns.find(column => OTHER_ID.test(column.name) && isKey(column, rows))
      : undefined) ??
    null
  const free = texts.filter(column => column !== key)
  const named = (patterns: readonly RegExp[], from: readonly Column[]) =>
    patterns.map(pattern => from.find(column => pattern.test(column.name))).find(column => column) ?? null
  const longest = free
    .filter(({ sentences }) => sentences > 0.5)
    .reduce<Column | null>((most, next) => (next.length > (most?.length ?? 30) ? next : most), null)
  const title =
    named(TITLE_NAMES, free) ??
    speakingColumn(
      free.filter(column => column !== longest),
      rows,
    )
  const rest = free.filter(column => column !== title)
  const text = named(TEXT_NAMES, rest) ?? (longest !== title ? longest : null)
  const actor = named(
    ACTOR_NAMES,
    rest.filter(column => column !== text),
  )
  const others = columns.filter(
    column => (free.includes(column) || column.kind === 'texts') && ![title, text, actor].includes(column),
  )
  const times = columns.filter(({ timeOf, filled }) => timeOf !== null && filled >= 0.5)
  const first = times.filter(column => !LATER_TIMES.test(column.name))
  const time = named(TIME_NAMES, first) ?? first[0] ?? times[0] ?? null
  return {
    key,
    title,
    text,
    actor,
    recipient: named(RECIPIENT_NAMES, others),
    place: named(PLACE_NAMES, others),
    label: named(LABEL_NAMES, others),
    time,
  }
}

function isKey({ kind, filled, distinct }: Column, rows: number): boolean {
  return (kind === 'text' || kind === 'integer') && filled === 1 && distinct === rows && rows > 1
}

/** A column of short, mostly different words can be the title. */
function speakingColumn(columns: readonly Column[], rows: number): Column | null {
  const able = columns.filter(
    ({ length, filled, words, distinct }) =>
      length >= 3 && length <= 80 && filled > 0.5 && words > 0.7 && distinct > rows / 5,
  )
  return able.toSorted((a, b) => b.distinct - a.distinct)[0] ?? null
}
