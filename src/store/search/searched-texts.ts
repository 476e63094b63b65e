import { searchedFields } from '../../model/declaration/declaration.ts'
import { pathOf } from '../../model/declaration/field-path.ts'
import { digestOf, longPath, type Projection } from '../../model/reading/record.ts'
import {
  AFTER_CHARS,
  BEFORE_CHARS,
  firstRows,
  leavesOf,
  type PieceText,
  pieceText,
} from '../../model/search/index-rows.ts'
import { countCodePoints, sliceCodePoints } from '../../model/text/code-points.ts'
import { PIECE_CHARS } from '../../model/text/pieces.ts'
import type { View } from '../engine/database.ts'
import { readRange } from '../records/long-text.ts'

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
    const short = [...leavesOf(data[field], [field])]
      .filter(({ text }) => text !== '')
      .map(({ path, text }) => ({
        field,
        field_path: pathOf(field, path.slice(1)).text,
        size_chars: countCodePoints(text),
        digest: once(() => digestOf(text)),
        piece: (no: number) => cutPiece(no, async (start, end) => sliceCodePoints(text, start, end)),
      }))
    const long = long_texts
      .filter(({ path }) => path[0] === field)
      .map(text => ({
        field,
        field_path: longPath(text),
        size_chars: text.size_chars,
        digest: () => text.digest,
        piece: (no: number) =>
          cutPiece(no, (start, end) =>
            readRange(database, owner_id, text.text_no, { start, end: Math.min(end, text.size_chars) }),
          ),
      }))
    const texts = [...short, ...long]
    const rows = firstRows(texts.map(text => text.size_chars))
    return texts.map((text, i) => ({ ...text, row: rows[i] ?? 0 }))
  })
}

/** Computed once, because several windows of a text need the same digest. */
function once(compute: () => string): () => string {
  let known: string | null = null
  return () => {
    known ??= compute()
    return known
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
