import { CodedError } from '../../model/errors.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { isText, startOf } from '../utf8.ts'
import { dialectOf } from './dialect.ts'
import { columnKeys, itemsOf, type Layout } from './items.ts'
import { jsonShapeOf } from './json-shape.ts'

/** A table of a file, as detected from the start of the file. */
export interface Table {
  file: SourceFile
  layout: Layout
  /** The first rows. */
  sample: JsonObject[]
  /** An estimate of all rows. */
  rows: number
  /** Its position among the tables of the source. */
  order: number
}

export interface Tables {
  tables: Table[]
  /** Files that are named like tables but are not tables, and why. */
  refused: { file: SourceFile; reason: string }[]
  /** Files that are named like tables and have no rows of their own, such as an empty list. */
  empty: SourceFile[]
}

const SAMPLE_BYTES = 512 * 1024
const SAMPLE_ROWS = 1000
const NAMED_CSV = /\.(csv|tsv|tab|psv)$/i
const NAMED_JSON = /\.(json|jsonl|ndjson|geojson)$/i
/** A file with one object per line, even if it has only one line. */
const NAMED_LINES = /\.(jsonl|ndjson)$/i
const MAY_BE_CSV = /(^|\/)[^./]+$|\.(txt|dat|data)$/i
/** Formats that begin like JSON or contain delimiters but are not tables. */
const OTHER = /\.(md|markdown|mdx|html?|xml|js|mjs|ts|py|css|canvas|base|ipynb|log)$/i

export async function tablesOf(source: Source): Promise<Tables> {
  const tables: Table[] = []
  const refused: Tables['refused'] = []
  const empty: SourceFile[] = []
  const views = viewsOfDatabases(source.files)
  for (const file of source.files) {
    if (OTHER.test(file.path) || /(^|\/)\./.test(file.path)) continue
    const found = views.has(file.path) ? null : await tablesIn(file)
    if (found === null) empty.push(file)
    else if (typeof found === 'string') refused.push({ file, reason: found })
    else for (const each of found) tables.push({ ...each, order: tables.length })
  }
  return { tables, refused, empty }
}

/** Notion writes a database twice: the rows that its page shows, and in `…_all.csv` all rows. */
function viewsOfDatabases(files: readonly SourceFile[]): Set<string> {
  const all = files.filter(({ path }) => /[ _][0-9a-f]{32}_all\.csv$/.test(path))
  return new Set(all.map(({ path }) => path.replace(/_all\.csv$/, '.csv')))
}

/** The tables of a file. If one that is named like a table has none: the reason, or null if it is only empty. */
async function tablesIn(file: SourceFile): Promise<Omit<Table, 'order'>[] | string | null> {
  const named = NAMED_CSV.test(file.path) || NAMED_JSON.test(file.path)
  if (file.size === 0) return named ? null : []
  const head = await file.head().catch(() => null)
  if (head === null) return named ? 'The file cannot be read.' : []
  if (!isText(head)) return named ? 'The file is named like a table but is not text.' : []
  const begins = head
    .toString('utf8')
    .replace(/\0/g, '')
    .replace(/^[\ufeff\ufffd\s]+/, '')
  const isJson = /^[[{]/.test(begins)
  if (!isJson && !NAMED_CSV.test(file.path) && !MAY_BE_CSV.test(file.path))
    return NAMED_JSON.test(file.path) ? 'The file is named like JSON but does not begin like JSON.' : []
  const { bytes, whole } = await readableStartOf(file)
  const text = bytes.toString('utf8')
  const layouts =
    isJson && !NAMED_CSV.test(file.path) ? jsonLayouts(text, whole, file) : csvLayouts(text, whole, file)
  const tables: Omit<Table, 'order'>[] = []
  let reason: string | null = null
  for (const layout of layouts) {
    const { rows, typical, problem, most } = await sampleOf(file, layout, bytes, whole)
    if (rows.length === 0) {
      reason ??= problem
      continue
    }
    const share = whole ? 1 : Math.max(most, 1) / Math.max(1, file.size)
    tables.push({
      file,
      layout,
      sample: typical,
      rows: whole ? rows.length : Math.round(rows.length / share),
    })
  }
  if (tables.length > 0 || !named) return tables
  if (/^<(!doctype|html|\?xml)/i.test(begins)) return 'The file is named like a table but is HTML or XML.'
  return reason === null ? null : `The file contains no rows: ${reason}`
}

/** The first bytes. If the file is damaged, those before the damage; reading the rows says where that is. */
async function readableStartOf(file: SourceFile): Promise<{ bytes: Buffer; whole: boolean }> {
  let isDamaged = false
  async function* open() {
    let isEmpty = true
    try {
      for await (const chunk of file.open()) {
        isEmpty = false
        yield chunk
      }
    } catch (error) {
      if (isEmpty || !(error instanceof CodedError)) throw error
      isDamaged = true
    }
  }
  const { bytes, whole } = await startOf({ open }, SAMPLE_BYTES)
  return { bytes, whole: whole && !isDamaged }
}

function jsonLayouts(text: string, whole: boolean, file: SourceFile): Layout[] {
  const shape = jsonShapeOf(text, whole)
  if (shape === null) return []
  if (shape.kind === 'object' && NAMED_LINES.test(file.path)) return [{ kind: 'lines' }]
  return shape.kind === 'lists' ? shape.paths.map(path => ({ kind: 'list', path })) : [shape]
}

function csvLayouts(text: string, whole: boolean, file: SourceFile): Layout[] {
  if (/^\s*<(!doctype|html|\?xml)/i.test(text)) return []
  const dialect = dialectOf(text, whole, NAMED_CSV.test(file.path))
  return dialect ? [{ kind: 'csv', dialect }] : []
}

/** The rows at the start of a file, without the last one, which may be cut off. */
async function sampleOf(file: SourceFile, layout: Layout, bytes: Buffer, whole: boolean) {
  const rows: JsonObject[] = []
  const short = new Set<JsonObject>()
  let problem: string | null = null
  let most = 0
  const beginning: SourceFile = {
    ...file,
    size: bytes.length,
    async *open() {
      yield bytes
    },
  }
  for await (const item of itemsOf(beginning, layout)) {
    if (item.row) {
      rows.push(item.row)
      if (item.isShort) short.add(item.row)
      if (layout.kind !== 'csv') most = item.end
    } else problem ??= item.problem?.message ?? null
    if (rows.length >= SAMPLE_ROWS) break
  }
  if (!whole && layout.kind === 'csv' && rows.length > 1 && rows.length < SAMPLE_ROWS) rows.pop()
  if (layout.kind === 'csv') most = rows.reduce((sum, row) => sum + rowBytes(row), 0)
  // A few rows that end early are sums or remarks, and say nothing about the types of columns.
  const typical = 3 * short.size <= rows.length ? rows.filter(row => !short.has(row)) : rows
  return { rows, typical, problem, most }
}

function rowBytes(row: JsonObject): number {
  return Object.values(row).reduce((sum: number, cell: Json) => sum + Buffer.byteLength(String(cell)) + 1, 0)
}

/** The columns of a table, which decide whether two tables belong to one stream. */
export function columnsOf({ layout, sample }: Table): string[] {
  if (layout.kind === 'csv') return columnKeys(layout.dialect)
  return [...new Set(sample.flatMap(row => Object.keys(row)))]
}
