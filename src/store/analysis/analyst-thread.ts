import { parentPort } from 'node:worker_threads'
import { tellingKeys } from '../../model/search/index-row.ts'
import { type Ready, rowCount } from '../../model/search/index-rows.ts'
import { isOfLetters, shortened } from '../../model/search/word-hash.ts'
import { readyAnalysedRows, textsOf } from './analysed-rows.ts'
import type { Answer, Question } from './analyst.ts'
import { type AnalysedRow, packRows } from './packed-rows.ts'
import { WordBytes } from './word-bytes.ts'

function answer({ id, fields, codes, scope, values }: Question): Answer {
  const hashes: number[] = []
  const tell = tellingKeys((key, hash) => {
    if (isOfLetters(key)) hashes.push(shortened(hash))
  })
  const words = new WordBytes(scope)
  const records: AnalysedRow[][] = []
  for (let i = 0; i < values.length; i += fields.length) {
    const texts = textsOf<Ready>(fields, codes, values.slice(i, i + fields.length), [])
    records.push(readyAnalysedRows(texts, rowCount(texts), words, tell))
  }
  return { id, ...packRows(records), hashes: Int32Array.from(hashes) }
}

parentPort?.on('message', (question: Question) => {
  const given = answer(question)
  parentPort?.postMessage(given, [given.words.buffer])
})
parentPort?.postMessage('ready')
