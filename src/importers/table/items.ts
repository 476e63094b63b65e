import { isObject, type JsonObject } from '../../model/json.ts'
import { jsonItems, problemOf } from '../json-items.ts'
import { MOST_OBJECT_BYTES, parsedItem } from '../reading/json-objects.ts'
import { linesOf } from '../reading/text-lines.ts'
import type { SourceFile } from '../source/source.ts'
import { startOf } from '../utf8.ts'
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
export interface Item {
  place: string
  row: JsonObject | null
  /** Cells beyond the last column. */
  beyond: string[]
  problem: { code: string; message: string } | null
  end: number
}

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
  if (layout.kind === 'csv') yield* csvItems(file, layout.dialect)
  else if (layout.kind === 'list') {
    for await (const { index, text, problem, end } of jsonItems(file.open(), layout.path)) {
      const place = `${file.path}, ${layout.path.length > 0 ? `${layout.path.join('.')}, ` : ''}item ${index + 1}`
      if (problem) yield { place, row: null, beyond: [], problem: problemOf(problem), end }
      else yield { place, end, ...parsed(text ?? '') }
    }
  } else if (layout.kind === 'lines') {
    for await (const { number, text, end } of linesOf(file.open())) {
      if (text?.trim() === '') continue
      const place = `${file.path}, line ${number}`
      if (text === null) yield { place, row: null, beyond: [], problem: problemOf('too_large'), end }
      else yield { place, end, ...parsed(text) }
    }
  } else {
    const { bytes, whole } = await startOf(file, MOST_OBJECT_BYTES)
    if (whole) yield { place: file.path, end: file.size, ...parsed(bytes.toString('utf8')) }
    else yield { place: file.path, row: null, beyond: [], problem: problemOf('too_large'), end: file.size }
  }
}

function parsed(text: string): Pick<Item, 'row' | 'beyond' | 'problem'> {
  const { value, problem } = parsedItem(text)
  if (problem) return { row: null, beyond: [], problem }
  return { row: isObject(value) ? value : { value }, beyond: [], problem }
}

async function* csvItems(file: SourceFile, dialect: Dialect): AsyncGenerator<Item> {
  const keys = columnKeys(dialect)
  for await (const { line, cells, problem, end } of csvRows(file.open(), dialect.delimiter)) {
    const place = `${file.path}, line ${line}`
    if (line === dialect.firstLine && dialect.header) continue
    if (problem) {
      yield { place, row: null, beyond: [], problem: csvProblem(problem), end }
    } else if (line < dialect.firstLine) {
      const message = 'The line is above the table and has different columns.'
      yield { place, row: null, beyond: [], problem: { code: 'above_the_table', message }, end }
    } else if (cells.some(cell => cell.trim() !== '')) {
      if (keys.length - cells.length > MOST_ABSENT && cells.length < LEAST_SHARE * keys.length) {
        const message = 'The line has far fewer cells than the table has columns.'
        yield { place, row: null, beyond: [], problem: { code: 'cells_missing', message }, end }
        continue
      }
      const row = Object.fromEntries(keys.map((key, index) => [key, cells[index] ?? '']))
      yield { place, row, beyond: cells.slice(keys.length), problem: null, end }
    }
  }
}

function csvProblem(problem: 'open_quote' | 'too_large'): { code: string; message: string } {
  if (problem === 'too_large') return problemOf('too_large')
  return { code: 'open_quote', message: 'The line has a quote that is never closed.' }
}
