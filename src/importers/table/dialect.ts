import { type CsvRow, csvRowsOf } from './csv.ts'
import { isNumberLike } from './numbers.ts'

/** How a table is written in its file. */
export interface Dialect {
  delimiter: string
  /** The names of the columns, as written; null if there is no header. */
  header: string[] | null
  columns: number
  /** The line of the header or of the first row; lines above are not part of the table. */
  firstLine: number
}

const DELIMITERS = [',', ';', '\t', '|']
const ROWS_TO_TRY = 200
const SHARE_OF_EQUAL_ROWS = 0.7

/** Null if the text is not a table. `named`: the file is named like a table, so one column is enough. */
export function dialectOf(text: string, whole: boolean, named: boolean): Dialect | null {
  let best: { delimiter: string; rows: CsvRow[]; columns: number; share: number } | null = null
  for (const delimiter of DELIMITERS) {
    const rows = csvRowsOf(text, delimiter, whole).slice(0, ROWS_TO_TRY)
    const columns = mostCommon(rows.map(({ cells }) => cells.length))
    if (columns < 2) continue
    const share = rows.filter(({ cells }) => cells.length === columns).length / rows.length
    if (!best || share > best.share + 0.05 || (share > best.share - 0.05 && columns > best.columns))
      best = { delimiter, rows, columns, share }
  }
  if (!best || best.share < SHARE_OF_EQUAL_ROWS) {
    if (!named) return null
    const delimiter = best?.delimiter ?? ','
    const rows = best?.rows ?? csvRowsOf(text, delimiter, whole).slice(0, ROWS_TO_TRY)
    const columns = columnsAtEnd(rows) ?? mostCommon(rows.map(row => row.cells.length))
    best = { delimiter, rows, columns, share: 1 }
  }
  const { delimiter, rows } = best
  const from = firstRow(rows, best.columns)
  const shorter = shorterHeader(rows, from)
  const columns = shorter?.cells.length ?? best.columns
  const [first, ...others] = rows.slice(shorter ? from - 1 : from)
  if (!first) return null
  // A file with a single row of names is a table without rows, as many exports contain them.
  const isNames = isHeader(first.cells) && (others.length > 0 || (whole && columns > 1))
  const header = isNames ? first.cells : null
  if (!named && (header === null || columns < 3 || best.rows.length < 5 || best.share < 1)) return null
  return { delimiter, header, columns, firstLine: first.line }
}

/** Where the rows begin that have these columns, without mostly empty ones above a header. */
function firstRow(rows: readonly CsvRow[], columns: number): number {
  const from = Math.max(
    0,
    rows.findIndex(({ cells }) => cells.length === columns),
  )
  const filled = rows.findIndex(({ cells }, index) => index >= from && !isMostlyEmpty(cells))
  return filled > from && isHeader(rows[filled]?.cells ?? []) ? filled : from
}

function isMostlyEmpty(cells: readonly string[]): boolean {
  return 2 * cells.filter(cell => cell.trim() !== '').length < cells.length
}

/** The columns of the rows at the end, if they begin with a header: a bank may write more lines above a short table. */
function columnsAtEnd(rows: readonly CsvRow[]): number | null {
  const columns = rows.at(-1)?.cells.length ?? 0
  const header = rows[rows.findLastIndex(({ cells }) => cells.length !== columns) + 1]
  return header && header !== rows.at(-1) && columns > 2 && isHeader(header.cells) ? columns : null
}

/** A header above rows that end in more delimiters than it has. */
function shorterHeader(rows: readonly CsvRow[], from: number): CsvRow | null {
  const [above, first] = [rows[from - 1], rows[from]]
  if (!above || !first || isHeader(first.cells) || above.cells.length < 2 || !isHeader(above.cells))
    return null
  const { length } = above.cells
  const isEmptyBeyond = rows
    .slice(from)
    .every(({ cells }) => cells.slice(length).every(cell => cell.trim() === ''))
  return isEmptyBeyond && first.cells.length > length ? above : null
}

/** Whether a row is a header: no cell is a number or a date, and most cells are not empty. */
function isHeader(cells: readonly string[]): boolean {
  if (isMostlyEmpty(cells)) return false
  return cells
    .filter(cell => cell.trim() !== '')
    .every(cell => {
      const text = cell.trim()
      return (
        text.length <= 200 &&
        /\p{L}/u.test(text) &&
        !isNumberLike(text) &&
        !/\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/.test(text)
      )
    })
}

function mostCommon(counts: readonly number[]): number {
  const tally = new Map<number, number>()
  for (const count of counts) tally.set(count, (tally.get(count) ?? 0) + 1)
  return [...tally].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0]?.[0] ?? 0
}
