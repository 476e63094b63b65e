import type { Json, JsonObject } from '../../model/json.ts'
import { indexRow, type Section } from '../../model/search/index-row.ts'
import {
  firstRows,
  leavesOf,
  type Pieces,
  pieceTexts,
  type Ready,
  type RowPieces,
  readyRowPieces,
  rowPieces,
  type TextPieces,
} from '../../model/search/index-rows.ts'
import { packSections } from '../../model/search/packed-counts.ts'
import { countCodePoints } from '../../model/text/code-points.ts'
import { PIECE_CHARS } from '../../model/text/pieces.ts'
import type { AnalysedRow } from './packed-rows.ts'
import { fieldPrefix, type WordBytes } from './word-bytes.ts'

/** A searchable text of a record, and its size in code points. */
export type SizedText<P extends Pieces = Pieces> = TextPieces<P> & { size: number }

/** The values of searchable fields, in order; null for one that a record does not have. */
export function searchedValues(fields: readonly string[], data: JsonObject): Json[] {
  return fields.map(field => (Object.hasOwn(data, field) ? (data[field] ?? null) : null))
}

/**
 * The searchable texts of a record: the short ones from the values of its fields, and the long ones, which are stored in
 * pieces.
 */
export function textsOf<P extends Pieces>(
  fields: readonly string[],
  codes: ReadonlyMap<string, number>,
  values: readonly Json[],
  long: readonly { path: string[]; size: number; pieces(): P }[],
): SizedText<P | Ready>[] {
  const found: SizedText<P | Ready>[] = []
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] as string
    const code = codes.get(field)
    const value = values[i]
    if (code === undefined || value === undefined || value === null) continue
    // Most fields are one short text, so this case is kept fast.
    if (long.length === 0 && typeof value === 'string') {
      // Up to the size of a piece, it is one row whether characters are counted as units or code points.
      const size = value.length <= PIECE_CHARS ? value.length : countCodePoints(value)
      if (value !== '') found.push({ size, pieces: () => pieceTexts(value), code, row: 0 })
      continue
    }
    const short = [...leavesOf(value, [field])].filter(({ text }) => text !== '')
    const texts = [
      ...short.map(({ text }) => ({ size: countCodePoints(text), pieces: () => pieceTexts(text) })),
      ...long.filter(({ path }) => path[0] === field),
    ]
    const rows = firstRows(texts.map(text => text.size))
    for (const [no, { size, pieces }] of texts.entries())
      found.push({ size, pieces, code, row: rows[no] ?? 0 })
  }
  return found
}

/** The index rows of a record, one at a time. `tell` receives the words of each. */
export async function* analysedRows(
  texts: readonly TextPieces[],
  count: number,
  words: WordBytes,
  tell: (row: readonly Section[]) => void,
): AsyncGenerator<AnalysedRow> {
  for await (const pieces of rowPieces(texts, count)) yield analysedRow(pieces, words, tell)
}

/** The same for texts that are in memory. */
export function readyAnalysedRows(
  texts: readonly TextPieces<Ready>[],
  count: number,
  words: WordBytes,
  tell: (row: readonly Section[]) => void,
): AnalysedRow[] {
  return readyRowPieces(texts, count).map(pieces => analysedRow(pieces, words, tell))
}

function analysedRow(
  pieces: RowPieces,
  words: WordBytes,
  tell: (row: readonly Section[]) => void,
): AnalysedRow {
  const sections = indexRow(pieces)
  tell(sections)
  return { sections: packSections(sections), words: words.write(sections) }
}

/**
 * The index entry for a word in a field. The same word in another field is a different entry, so a hidden field cannot
 * match.
 */
export function fieldWord(code: number, key: string): string {
  return fieldPrefix(code) + key
}
