import { randomUUID } from 'node:crypto'
import { type LongText, longTextOf, shortText, type VisibleData } from '../../model/reading/record.ts'
import type { Range } from '../../model/reading/window.ts'
import { sliceCodePoints } from '../../model/text/code-points.ts'
import type { Literal } from '../../model/text/literal.ts'
import { PIECE_CHARS } from '../../model/text/pieces.ts'
import type { Budget } from '../budget/budget.ts'
import type { Queryable, Transaction } from '../engine/database.ts'
import { withModestHeap } from '../engine/heap.ts'
import { deleteRows } from '../engine/rows.ts'
import { PIECES } from './tables.ts'

/** Thrown when a text's pieces are gone because the record has changed; read the record again. */
export class TextReplaced extends Error {}

const SCAN_PIECES = 32

export async function readRange(
  database: Queryable,
  owner_id: string,
  text_no: number,
  range: Range,
): Promise<string> {
  if (range.end <= range.start) return ''
  const first = Math.floor(range.start / PIECE_CHARS)
  const last = Math.floor((range.end - 1) / PIECE_CHARS)
  const pieces = await readPieces(database, owner_id, text_no, first, last)
  const offset = first * PIECE_CHARS
  return sliceCodePoints(pieces.join(''), range.start - offset, range.end - offset)
}

/** The first characters of the text of a field, which may be long; empty if it has none. */
export async function readStart(
  database: Queryable,
  owner_id: string,
  { data, long_texts }: VisibleData,
  field: string | undefined,
  chars: number,
): Promise<string> {
  const long = longTextOf(long_texts, field)
  if (!long) return sliceCodePoints(shortText(data, field), 0, chars)
  return readRange(database, owner_id, long.text_no, { start: 0, end: Math.min(chars, long.size_chars) })
}

async function readPieces(
  database: Queryable,
  owner_id: string,
  text_no: number,
  first: number,
  last: number,
): Promise<string[]> {
  const rows = await database.all<{ text: string }>(
    'SELECT text FROM pieces WHERE owner_id = ? AND text_no = ? AND piece_no BETWEEN ? AND ? ORDER BY piece_no',
    [owner_id, text_no, first, last],
  )
  if (rows.length !== last - first + 1) throw new TextReplaced()
  const texts = rows.map(row => row.text)
  // If the rows were kept longer, all texts of a scan would survive the young generation, and memory would grow with
  // the text.
  rows.length = 0
  return texts
}

/** The whole text, a few pieces at a time; the next ones are read ahead. */
export async function* streamText(
  database: Queryable,
  owner_id: string,
  text_no: number,
  size_chars: number,
): AsyncGenerator<string> {
  const count = Math.ceil(size_chars / PIECE_CHARS)
  const read = (first: number) =>
    readPieces(database, owner_id, text_no, first, Math.min(count, first + SCAN_PIECES) - 1)
  let coming = count > 0 ? read(0) : null
  for (let first = SCAN_PIECES; coming; first += SCAN_PIECES) {
    const pieces: string[] = await coming
    coming = first < count ? read(first) : null
    // An error is thrown where this is awaited, if it ever is.
    coming?.catch(() => {})
    yield* pieces
  }
}

/** Returns a function that makes placeholders for long texts which occur nowhere else in the JSON. */
export function textMark(): (index: number) => string {
  const own = `long-text-${randomUUID()}-`
  return index => `${own}${index}.`
}

/** The JSON with the long texts in place of their marks, a few pieces at a time. */
export async function* spliceTexts(
  database: Queryable,
  owner_id: string,
  json: string,
  mark: (index: number) => string,
  texts: readonly LongText[],
): AsyncGenerator<string> {
  let done = 0
  const places = texts.map((text, index) => {
    const quoted = JSON.stringify(mark(index))
    return { text, at: json.indexOf(quoted), length: quoted.length }
  })
  for (const { text, at, length } of places.sort((a, b) => a.at - b.at)) {
    yield `${json.slice(done, at)}"`
    for await (const piece of streamText(database, owner_id, text.text_no, text.size_chars))
      yield JSON.stringify(piece).slice(1, -1)
    yield '"'
    done = at + length
  }
  yield json.slice(done)
}

/** The first match of a literal, in code points of the whole text; null if there is none. Yields to other requests. */
export async function findInText(
  database: Queryable,
  owner_id: string,
  text_no: number,
  size_chars: number,
  literal: Literal,
  budget: Budget,
): Promise<Range | null> {
  return withModestHeap(async () => {
    const scan = literal.scan()
    let seen = 0
    for await (const piece of streamText(database, owner_id, text_no, size_chars)) {
      const match = scan.push(piece, Math.min(PIECE_CHARS, size_chars - seen))
      if (match) return match
      seen += PIECE_CHARS
      await budget.pause()
    }
    return scan.end()
  })
}

export async function removeTexts(
  transaction: Transaction,
  owner_id: string,
  texts: readonly Pick<LongText, 'text_no'>[],
): Promise<void> {
  for (const { text_no } of texts) await deleteRows(transaction, PIECES, { owner_id, text_no })
}
