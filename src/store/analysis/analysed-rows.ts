import { type Json, type JsonObject, own } from '../../model/json.ts'
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
import { sizeOfKeys, writeKeys } from '../../model/text/counted-keys.ts'
import { PIECE_CHARS } from '../../model/text/pieces.ts'

/** A searchable text of a record, and its size in code points. */
export type SizedText<P extends Pieces = Pieces> = TextPieces<P> & { size: number }

/** The values of searchable fields, in order; null for one that a record does not have. */
export function searchedValues(fields: readonly string[], data: JsonObject): Json[] {
  return fields.map(field => own(data, field) ?? null)
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

/** An index row as it is stored: its packed counts, and the words that find it (see `WordBytes`). */
export interface AnalysedRow {
  sections: string
  words: Uint8Array
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

/** The index rows of a record whose texts are in memory. */
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

const BLOCK_BYTES = 64 * 1024

/** The prefix of the index entry for a word in a field. */
export function fieldPrefix(code: number): string {
  return `${code.toString(36)}\u{e002}`
}

const prefixes: Uint8Array[] = []

function prefixOf(code: number): Uint8Array {
  const prefix = prefixes[code] ?? Buffer.from(` ${fieldPrefix(code)}`)
  prefixes[code] = prefix
  return prefix
}

/**
 * Writes the words that rows are found by, in UTF-8 with spaces between them: the form in which they are stored and can
 * be moved to another thread. The rows share a few large blocks.
 */
export class WordBytes {
  readonly #scope: Uint8Array
  #block = new Uint8Array(0)
  #used = 0

  /** `scope` is a word that every row contains. */
  constructor(scope: string) {
    this.#scope = Buffer.from(scope)
  }

  write(sections: readonly Section[]): Uint8Array {
    const start = this.#makeRoom(this.#sizeOf(sections))
    const block = this.#block
    block.set(this.#scope, start)
    let at = start + this.#scope.length
    for (const { code, keys, neighbours } of sections) {
      const prefix = prefixOf(code)
      at = writeKeys(neighbours, prefix, block, writeKeys(keys, prefix, block, at))
    }
    this.#used = at
    return block.subarray(start, at)
  }

  #sizeOf(sections: readonly Section[]): number {
    let size = this.#scope.length
    for (const { code, keys, neighbours } of sections) {
      size += prefixOf(code).length * (keys.length + neighbours.length)
      size += sizeOfKeys(keys) + sizeOfKeys(neighbours)
    }
    return size
  }

  #makeRoom(size: number): number {
    if (this.#used + size > this.#block.length) {
      this.#block = new Uint8Array(Math.max(BLOCK_BYTES, size))
      this.#used = 0
    }
    return this.#used
  }
}
