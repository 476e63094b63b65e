import { MOST_RECORD_CHARS } from '../../model/declaration/ingest-line.ts'
import type { JsonObject } from '../../model/json.ts'
import { LONG_TEXT_CHARS } from '../../model/text/pieces.ts'
import type { Problem } from '../events.ts'
import {
  type FoundObject,
  listedObjects,
  parsedRow,
  wholeObject,
  writtenObjects,
} from '../reading/json-objects.ts'
import type { SourceFile } from '../source/source.ts'
import { csvRows } from './csv.ts'
import type { Dialect } from './dialect.ts'

/** Where a table is in a file and how it is written. */
export type Layout =
  | { kind: 'csv'; dialect: Dialect }
  | { kind: 'list'; path: string[] }
  | { kind: 'lines' }
  /** The file is one row. */
  | { kind: 'object'; hasLists: boolean }

/** A row by the names of its columns as written, or the problem with it. */
export type Item = {
  place: string
  /** Cells beyond the last column. */
  beyond: string[]
  /** Whether the row ends before the last column, such as the sums below a table. */
  isShort?: boolean
  end: number
} & ({ row: JsonObject; problem: null } | { row: null; problem: Problem })

/**
 * Rows may end early, but a record has a value for each column: rows of a few characters would become records of any
 * size.
 */
const MOST_ABSENT = 50
const LEAST_SHARE = 0.1

/** Unique keys for the columns of a table; two columns may have the same name. */
export function columnKeys({ header, columns }: Dialect): string[] {
  return Array.from({ length: columns }, (_, index) => `${index}:${header?.[index]?.trim() ?? ''}`)
}

export function columnTitle(key: string): string {
  return key.slice(key.indexOf(':') + 1)
}

export async function* itemsOf(file: SourceFile, layout: Layout): AsyncGenerator<Item> {
  if (layout.kind === 'csv') {
    yield* csvItems(file, layout.dialect)
    return
  }
  for await (const { value, text, problem, place, end } of objectsOf(file, layout)) {
    const fits = text.length <= MOST_RECORD_CHARS
    if (value) yield { row: fits ? value : withLongTexts(value), problem: null, place, beyond: [], end }
    else yield { row: null, problem, place, beyond: [], end }
  }
}

/** A row that is too large for a record, with the JSON of its large lists and objects as texts, which may be long. */
function withLongTexts(row: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const json = typeof value === 'object' ? JSON.stringify(value) : ''
      return [name, json.length > LONG_TEXT_CHARS ? json : value]
    }),
  )
}

function objectsOf(file: SourceFile, layout: Exclude<Layout, { kind: 'csv' }>): AsyncIterable<FoundObject> {
  if (layout.kind === 'object') return onlyObject(file)
  if (layout.kind === 'lines') return writtenObjects(file, parsedRow)
  const { path } = layout
  return listedObjects(file, path.length === 0 ? 'item' : `${path.join('.')}, item`, path, parsedRow)
}

async function* onlyObject(file: SourceFile): AsyncGenerator<FoundObject> {
  yield await wholeObject(file, parsedRow)
}

async function* csvItems(file: SourceFile, dialect: Dialect): AsyncGenerator<Item> {
  const keys = columnKeys(dialect)
  for await (const { line, cells, problem, end } of csvRows(file.open(), dialect.delimiter)) {
    const at = { place: `${file.path}, line ${line}`, end }
    if (line === dialect.firstLine && dialect.header) continue
    if (problem) yield { ...at, row: null, beyond: [], problem }
    else if (line < dialect.firstLine) yield { ...at, row: null, beyond: [], problem: ABOVE_THE_TABLE }
    else if (cells.some(cell => cell.trim() !== '')) {
      const isStub = keys.length - cells.length > MOST_ABSENT && cells.length < LEAST_SHARE * keys.length
      const isShort = cells.length < keys.length
      const row = () => Object.fromEntries(keys.map((key, index) => [key, cells[index] ?? '']))
      if (isStub) yield { ...at, row: null, beyond: [], problem: CELLS_MISSING }
      else yield { ...at, row: row(), beyond: cells.slice(keys.length), isShort, problem: null }
    }
  }
}

const ABOVE_THE_TABLE: Problem = {
  code: 'above_the_table',
  message: 'The line is above the table and has different columns.',
}
const CELLS_MISSING: Problem = {
  code: 'cells_missing',
  message: 'The line has far fewer cells than the table has columns.',
}
