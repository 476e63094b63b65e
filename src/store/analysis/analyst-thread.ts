import { parentPort } from 'node:worker_threads'
import { tellingKeys } from '../../model/search/index-row.ts'
import { rowCount } from '../../model/search/index-rows.ts'
import { isOfLetters, shortened } from '../../model/search/word-hash.ts'
import { type AnalysedRow, analysedRows, textsOf } from './analysed-rows.ts'
import type { Answer, Question } from './analyst.ts'
import { WordBytes } from './word-bytes.ts'

async function answer({ id, fields, codes, scope, records }: Question): Promise<Answer> {
  const hashes: number[] = []
  const tell = tellingKeys((key, hash) => {
    if (isOfLetters(key)) hashes.push(shortened(hash))
  })
  const words = new WordBytes(scope)
  const rows: AnalysedRow[][] = []
  for (const data of records) {
    const texts = textsOf(fields, codes, data, [])
    rows.push(await Array.fromAsync(analysedRows(texts, rowCount(texts), words, tell)))
  }
  return { id, rows, hashes: Int32Array.from(hashes) }
}

parentPort?.on('message', async (question: Question) => {
  const given = await answer(question)
  const blocks = new Set(given.rows.flat().map(({ words }) => words.buffer as ArrayBuffer))
  parentPort?.postMessage(given, [...blocks])
})
parentPort?.postMessage('ready')
