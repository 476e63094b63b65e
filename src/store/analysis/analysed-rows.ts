import type { JsonObject } from '../../model/json.ts'
import { indexRow, type Section } from '../../model/search/index-row.ts'
import { firstRows, leavesOf, pieceTexts, rowPieces, type TextPieces } from '../../model/search/index-rows.ts'
import { packSections } from '../../model/search/packed-counts.ts'
import { countCodePoints } from '../../model/text/code-points.ts'

/** A searchable text of a record with its size in code points. */
export type SizedText = TextPieces & { size: number }

/** An index row as it is stored: its packed counts, and the words that it is found by, each with a space before it. */
export interface AnalysedRow {
  sections: string
  words: string
}

/** The rows of a record that was analysed before it is written, with hashes of its words and of those of others. */
export interface AnalysedRecord {
  rows: readonly AnalysedRow[]
  hashes: Int32Array
}

/** What is known, or will be, of the records of a batch, by their data; null for what has to be analysed after all. */
export type AnalysedRecords = ReadonlyMap<JsonObject, Promise<AnalysedRecord | null>>

/** The searchable texts of a record: the short ones from its data, and the long ones, which are stored in pieces. */
export function textsOf(
  fields: readonly string[],
  codes: ReadonlyMap<string, number>,
  data: JsonObject,
  long: readonly { path: string[]; size: number; pieces(): TextPieces['pieces'] }[],
): SizedText[] {
  const found: SizedText[] = []
  for (const field of fields) {
    const code = codes.get(field)
    if (code === undefined || !Object.hasOwn(data, field)) continue
    const value = data[field]
    // Most fields are one short text, and no time should be lost on them.
    if (long.length === 0 && typeof value === 'string') {
      if (value !== '') found.push({ size: countCodePoints(value), pieces: pieceTexts(value), code, row: 0 })
      continue
    }
    const short = [...leavesOf(value, [field])].filter(({ text }) => text !== '')
    const texts = [
      ...short.map(({ text }) => ({ size: countCodePoints(text), pieces: pieceTexts(text) })),
      ...long.filter(({ path }) => path[0] === field).map(({ size, pieces }) => ({ size, pieces: pieces() })),
    ]
    const rows = firstRows(texts.map(text => text.size))
    for (const [i, text] of texts.entries()) found.push({ ...text, code, row: rows[i] ?? 0 })
  }
  return found
}

/** The index rows of a record, one at a time. Each word is told with its hash. */
export async function* analysedRows(
  texts: readonly TextPieces[],
  count: number,
  each: (key: string, hash: number) => void,
): AsyncGenerator<AnalysedRow> {
  for await (const pieces of rowPieces(texts, count)) {
    const sections = indexRow(pieces)
    for (const { keys, hashes } of sections)
      for (let i = 0; i < keys.length; i++) each(keys[i] as string, hashes[i] as number)
    yield { sections: packSections(sections), words: wordsOf(sections) }
  }
}

/** The index entry for a word in a field. The same word in another field is another entry, so a hidden field cannot match. */
export function fieldWord(code: number, key: string): string {
  return fieldPrefix(code) + key
}

function fieldPrefix(code: number): string {
  return `${code.toString(36)}\u{e002}`
}

function wordsOf(sections: readonly Section[]): string {
  let found = ''
  for (const { code, keys, neighbours } of sections) {
    const prefix = ` ${fieldPrefix(code)}`
    if (keys.length > 0) found += prefix + keys.join(prefix)
    if (neighbours.length > 0) found += prefix + neighbours.join(prefix)
  }
  return found
}
