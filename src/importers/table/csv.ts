import { StringDecoder } from 'node:string_decoder'
import { type Problem, TOO_LARGE } from '../events.ts'
import { utf8Of } from '../utf8.ts'

const MOST_ROW_CHARS = 16 * 1024 * 1024
const OPEN_QUOTE: Problem = { code: 'open_quote', message: 'The line has a quote that is never closed.' }

export interface CsvRow {
  /** The line where the row begins, from 1. */
  line: number
  cells: string[]
  problem: Problem | null
  /** Bytes read so far, for progress. */
  end: number
}

/** The rows of a file, without empty lines. */
export async function* csvRows(chunks: AsyncIterable<Uint8Array>, delimiter: string): AsyncGenerator<CsvRow> {
  const reader = new CsvReader(delimiter)
  const decoder = new StringDecoder('utf8')
  let end = 0
  for await (const chunk of utf8Of(chunks)) {
    end += chunk.length
    for (const row of reader.push(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length))))
      yield { ...row, end }
  }
  for (const row of reader.end(decoder.end())) yield { ...row, end }
}

/** The rows below the header, by the names of its columns. Rows that cannot be read are left out. */
export async function* csvRecords(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ row: Record<string, string>; line: number; end: number }> {
  let header: string[] | null = null
  for await (const { cells, line, end, problem } of csvRows(chunks, ',')) {
    if (problem) continue
    if (header)
      yield { row: Object.fromEntries(header.map((name, index) => [name, cells[index] ?? ''])), line, end }
    else header = cells
  }
}

/** The rows of a text. Unless it is `whole`, the last row may be cut off and is left out. */
export function csvRowsOf(text: string, delimiter: string, whole: boolean): CsvRow[] {
  const reader = new CsvReader(delimiter)
  const rows = [...reader.push(text), ...(whole ? reader.end('') : [])]
  return rows.map(row => ({ ...row, end: 0 }))
}

type Row = Omit<CsvRow, 'end'>

/**
 * RFC 4180, with common deviations: a quote ends a cell only before a delimiter or the end of the line; elsewhere it
 * is an ordinary character. An unclosed quote affects only its own line, not the rest of the file.
 */
class CsvReader {
  readonly #delimiter: string
  #text = ''
  #at = 0
  #line = 1
  /** How much text must be available before an unfinished row is parsed again. */
  #wanted = 0
  /** A quote that the available text does not close: it closes no later one either. */
  #unclosed = Number.POSITIVE_INFINITY

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  *push(text: string): Generator<Row> {
    this.#extend(text)
    if (this.#text.length >= this.#wanted) yield* this.#rows(false)
  }

  *end(text: string): Generator<Row> {
    this.#extend(text)
    yield* this.#rows(true)
  }

  #extend(text: string): void {
    this.#text = this.#text.slice(this.#at) + text
    this.#at = 0
    this.#unclosed = Number.POSITIVE_INFINITY
  }

  *#rows(final: boolean): Generator<Row> {
    this.#wanted = 0
    while (this.#at < this.#text.length) {
      const row = this.#row(final)
      if (row !== 'more') {
        if (row.problem !== null || row.cells.length > 1 || row.cells[0] !== '') yield row
        continue
      }
      const held = this.#text.length - this.#at
      if (held <= MOST_ROW_CHARS && !final) {
        this.#wanted = held * 2
        return
      }
      yield this.#lost(final ? OPEN_QUOTE : TOO_LARGE)
    }
  }

  #row(final: boolean): Row | 'more' {
    const text = this.#text
    const cells: string[] = []
    let at = this.#at
    let lines = 1
    for (;;) {
      if (text[at] === '"') {
        const close = this.#closingQuote(at, final)
        if (close < 0) return 'more'
        const cell = text.slice(at + 1, close)
        cells.push(cell.includes('"') ? cell.replaceAll('""', '"') : cell)
        if (cell.includes('\n')) lines += cell.split('\n').length - 1
        at = close + 1
      } else {
        const start = at
        while (at < text.length && !this.#endsCell(text[at])) at++
        cells.push(text.slice(start, at))
      }
      if (at >= text.length) {
        if (!final) return 'more'
        break
      }
      if (text[at] === this.#delimiter) {
        at++
        continue
      }
      if (text[at] === '\r') {
        if (at + 1 >= text.length && !final) return 'more'
        at += text[at + 1] === '\n' ? 2 : 1
      } else at++
      break
    }
    const row = { line: this.#line, cells, problem: null }
    this.#line += lines
    this.#at = at
    return row
  }

  #closingQuote(open: number, final: boolean): number {
    const text = this.#text
    for (let from = open + 1; ; ) {
      // Quotes next to the first one may be its own.
      const isLost = open > this.#unclosed && text[from] !== '"'
      const quote = isLost ? -1 : text.indexOf('"', from)
      if (quote < 0) {
        this.#unclosed = Math.min(this.#unclosed, open)
        return -1
      }
      const next = text[quote + 1]
      if (next === undefined) return final ? quote : -1
      if (next === '"') from = quote + 2
      else if (this.#endsCell(next)) return quote
      else from = quote + 1
    }
  }

  #endsCell(character: string | undefined): boolean {
    return character === this.#delimiter || character === '\n' || character === '\r'
  }

  /** Skips the current line. */
  #lost(problem: Problem): Row {
    const line = this.#line++
    const next = this.#text.indexOf('\n', this.#at)
    this.#at = next < 0 ? this.#text.length : next + 1
    return { line, cells: [], problem }
  }
}
