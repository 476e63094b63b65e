import { searchedFields } from '../../model/declaration/declaration.ts'
import { pathOf } from '../../model/declaration/field-path.ts'
import { digestOf, type LongText, longPath, type Projection, project } from '../../model/reading/record.ts'
import {
  AFTER_CHARS,
  BEFORE_CHARS,
  firstRows,
  leavesOf,
  onlyPiece,
  type PieceText,
  pieceText,
} from '../../model/search/index-rows.ts'
import { countCodePoints, sliceCodePoints } from '../../model/text/code-points.ts'
import { PIECE_CHARS } from '../../model/text/pieces.ts'
import { allEnded } from '../budget/budget.ts'
import type { View } from '../engine/database.ts'
import { readRange, TextReplaced } from '../records/long-text.ts'
import { type RowPlace, recordPlace } from './search-rows.ts'
import type { SearchScope } from './search-scope.ts'

/** A text that was searched, cut into pieces as it was for the index. */
export interface SearchedText {
  field: string
  field_path: string
  size_chars: number
  digest(): string
  /** The index row of its first piece. */
  row: number
  piece(no: number): Promise<PieceText>
}

type SearchedRecord = Pick<Projection, 'data' | 'long_texts'> & {
  source: Pick<Projection['source'], 'stream'>
}

/** The visible searchable texts of a record, in the order of the index. */
export function searchedTexts(
  database: View,
  owner_id: string,
  { source, data, long_texts }: SearchedRecord,
): SearchedText[] {
  return searchedFields(source.stream).flatMap(field => {
    const texts: SearchedText[] = []
    for (const { path, text } of leavesOf(data[field], [field]))
      if (text !== '') texts.push(short(path, text))
    for (const text of long_texts) if (text.path[0] === field) texts.push(long(database, owner_id, text))
    if (texts.length > 1)
      for (const [i, row] of firstRows(texts.map(({ size_chars }) => size_chars)).entries())
        (texts[i] as SearchedText).row = row
    return texts
  })
}

function short([field = '', ...rest]: readonly string[], text: string): SearchedText {
  // Computed once, because several windows of a text need the same digest.
  let digest: string | null = null
  return {
    field,
    field_path: pathOf(field, rest).text,
    size_chars: countCodePoints(text),
    row: 0,
    digest() {
      digest ??= digestOf(text)
      return digest
    },
    async piece(no) {
      if (text.length <= PIECE_CHARS) return onlyPiece(text)
      return cutPiece(no, async (start, end) => sliceCodePoints(text, start, end))
    },
  }
}

function long(database: View, owner_id: string, text: LongText): SearchedText {
  const { path, text_no, size_chars, digest } = text
  return {
    field: path[0] ?? '',
    field_path: longPath(text),
    size_chars,
    row: 0,
    digest: () => digest,
    piece: no =>
      cutPiece(no, (start, end) =>
        readRange(database, owner_id, text_no, { start, end: Math.min(end, size_chars) }),
      ),
  }
}

/** How many pieces a text has. */
export function pieceCount({ size_chars }: SearchedText): number {
  return Math.ceil(size_chars / PIECE_CHARS)
}

async function cutPiece(
  no: number,
  read: (start: number, end: number) => Promise<string>,
): Promise<PieceText> {
  const start = no * PIECE_CHARS
  const before = Math.min(start, BEFORE_CHARS)
  const text = await read(start - before, start + PIECE_CHARS + AFTER_CHARS)
  return pieceText(
    sliceCodePoints(text, 0, before),
    sliceCodePoints(text, before, before + PIECE_CHARS),
    sliceCodePoints(text, before + PIECE_CHARS, before + PIECE_CHARS + AFTER_CHARS),
  )
}

/** A piece of a text that belongs to an index row. */
export interface RowPiece {
  text: SearchedText
  piece: PieceText
  /** Where the piece starts in the text, in code points. */
  offset: number
}

type Reading = Pick<SearchScope, 'database' | 'owner_id'>

/** The pieces that an index row was made from, one of each text. The title belongs to every row. */
async function piecesOfRow(
  { database, owner_id }: Reading,
  projection: Projection,
  row_no: number,
  titleField: string | null,
): Promise<RowPiece[]> {
  const pieces: RowPiece[] = []
  for (const text of searchedTexts(database, owner_id, projection)) {
    const no = text.field === titleField && row_no >= pieceCount(text) ? 0 : row_no - text.row
    if (no < 0 || no >= pieceCount(text)) continue
    pieces.push({ text, piece: await text.piece(no), offset: no * PIECE_CHARS })
  }
  return pieces
}

/** The pieces of an index row; empty if a text was replaced in the meantime. */
export async function keptPiecesOfRow(...asked: Parameters<typeof piecesOfRow>): Promise<RowPiece[]> {
  try {
    return await piecesOfRow(...asked)
  } catch (error) {
    if (error instanceof TextReplaced) return []
    throw error
  }
}

/** The pieces of several rows of a record, each once. */
export async function piecesOfRows(
  reading: Reading,
  projection: Projection,
  numbers: readonly number[],
  titleField: string | null,
): Promise<RowPiece[]> {
  const [only] = numbers
  if (only !== undefined && numbers.length === 1) return piecesOfRow(reading, projection, only, titleField)
  const read = await allEnded(numbers.map(row_no => piecesOfRow(reading, projection, row_no, titleField)))
  const pieces = new Map<string, RowPiece>()
  for (const each of read.flat()) {
    const key = `${each.text.field_path} ${each.offset}`
    if (!pieces.has(key)) pieces.set(key, each)
  }
  return [...pieces.values()]
}

/** The visible texts of each row, with its index; a row whose text was replaced in the meantime has none. */
export async function* textsOfRows(
  scope: SearchScope,
  rows: readonly RowPlace[],
): AsyncGenerator<{ n: number; texts: PieceText[] }> {
  const records = await scope.records.of(scope.database, scope.owner_id, rows)
  for (const [n, row] of rows.entries()) {
    const [entry, record] = [scope.sourceOf(row), records.get(recordPlace(row))]
    const visible = scope.visibleFields(row)
    if (!entry || !record || visible === undefined) continue
    await scope.budget.pause()
    const projection = project(entry.source, record, visible)
    const pieces = await keptPiecesOfRow(scope, projection, row.row_no, entry.title)
    yield { n, texts: pieces.map(({ piece }) => piece) }
  }
}
