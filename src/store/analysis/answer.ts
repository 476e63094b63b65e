import type { Json } from '../../model/json.ts'
import { tellingWords } from '../../model/search/index-row.ts'
import { type Ready, rowCount } from '../../model/search/index-rows.ts'
import { readyAnalysedRows, textsOf } from './analysed-rows.ts'
import { type AnalysedRow, type PackedRows, packRows } from './packed-rows.ts'
import { WordBytes } from './word-bytes.ts'

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
