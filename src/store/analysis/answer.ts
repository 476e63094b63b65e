import type { Json } from '../../model/json.ts'
import { tellingWords } from '../../model/search/index-row.ts'
import { type Ready, rowCount } from '../../model/search/index-rows.ts'
import { type AnalysedRow, readyAnalysedRows, textsOf, WordBytes } from './analysed-rows.ts'

/** Records whose texts are to be turned into index rows. */
export interface Question {
  fields: readonly string[]
  codes: ReadonlyMap<string, number>
  /** A word that every row contains. */
  scope: string
  /** The values of these fields of each record, one record after the other. */
  values: readonly Json[]
}

/** A question for whichever thread claims it first. */
export interface Claimable {
  question: Question
  /** In memory that the threads share. */
  claims: Int32Array
}

export function claimable(question: Question): Claimable {
  return { question, claims: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) }
}

/** Whether this thread is the first to claim a question. */
export function claim({ claims }: Claimable): boolean {
  return Atomics.add(claims, 0, 1) === 0
}

export interface Answer extends PackedRows {
  /** The shortened hashes of the words that a misspelt word can be corrected to. */
  hashes: Int32Array
}

export function answerTo({ fields, codes, scope, values }: Question): Answer {
  const hashes: number[] = []
  const tell = tellingWords(hash => hashes.push(hash))
  const words = new WordBytes(scope)
  const records: AnalysedRow[][] = []
  for (let i = 0; i < values.length; i += fields.length) {
    const texts = textsOf<Ready>(fields, codes, values.slice(i, i + fields.length), [])
    records.push(readyAnalysedRows(texts, rowCount(texts), words, tell))
  }
  return { ...packRows(records), hashes: Int32Array.from(hashes) }
}

/** The index rows of several records in a few large values, because many small ones are slow to pass to a thread. */
export interface PackedRows {
  sections: string
  words: Uint8Array<ArrayBuffer>
  /** Where the sections and the words of each row end. */
  sectionEnds: Int32Array
  wordEnds: Int32Array
  /** How many rows there are up to the end of each record. */
  rowEnds: Int32Array
}

export function packRows(records: readonly (readonly AnalysedRow[])[]): PackedRows {
  const rows = records.flat()
  const bytes = Buffer.allocUnsafeSlow(rows.reduce((sum, { words }) => sum + words.length, 0))
  const [sectionEnds, wordEnds] = [new Int32Array(rows.length), new Int32Array(rows.length)]
  const rowEnds = new Int32Array(records.length)
  let [chars, used] = [0, 0]
  for (const [i, { sections, words }] of rows.entries()) {
    bytes.set(words, used)
    wordEnds[i] = used += words.length
    sectionEnds[i] = chars += sections.length
  }
  for (let i = 0, n = 0; i < records.length; i++) rowEnds[i] = n += records[i]?.length ?? 0
  const sections = rows.map(row => row.sections).join('')
  return { sections, words: bytes, sectionEnds, wordEnds, rowEnds }
}

/** The rows of a record. */
export function unpackRows(packed: PackedRows, record: number): AnalysedRow[] {
  const { sections, words, sectionEnds, wordEnds, rowEnds } = packed
  const rows: AnalysedRow[] = []
  for (let i = endBefore(rowEnds, record); i < (rowEnds[record] ?? 0); i++)
    rows.push({
      sections: sections.slice(endBefore(sectionEnds, i), sectionEnds[i]),
      words: words.subarray(endBefore(wordEnds, i), wordEnds[i]),
    })
  return rows
}

function endBefore(ends: Int32Array, i: number): number {
  return i === 0 ? 0 : (ends[i - 1] ?? 0)
}
