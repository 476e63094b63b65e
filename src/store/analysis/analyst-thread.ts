import { parentPort } from 'node:worker_threads'
import { tellingKeys } from '../../model/search/index-row.ts'
import { type Ready, rowCount } from '../../model/search/index-rows.ts'
import { isOfLetters, shortened } from '../../model/search/word-hash.ts'
import { type AnalysedRow, readyAnalysedRows, textsOf } from './analysed-rows.ts'
import type { Answer, Question } from './analyst.ts'
import { WordBytes } from './word-bytes.ts'

function answer({ id, fields, codes, scope, records }: Question): Answer {
  const hashes: number[] = []
  const tell = tellingKeys((key, hash) => {
    if (isOfLetters(key)) hashes.push(shortened(hash))
  })
  const words = new WordBytes(scope)
  const rows: AnalysedRow[][] = []
  for (const data of records) {
    const texts = textsOf<Ready>(fields, codes, data, [])
    rows.push(readyAnalysedRows(texts, rowCount(texts), words, tell))
  }
  return { id, rows, hashes: Int32Array.from(hashes) }
}

parentPort?.on('message', (question: Question) => {
  const given = answer(question)
  const blocks = new Set(given.rows.flat().map(({ words }) => words.buffer as ArrayBuffer))
  parentPort?.postMessage(given, [...blocks])
})
parentPort?.postMessage('ready')
