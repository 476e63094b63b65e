import { parentPort } from 'node:worker_threads'
import { rowCount } from '../../model/search/index-rows.ts'
import { isOfLetters, shortened } from '../../model/search/word-hash.ts'
import { type AnalysedRow, analysedRows, textsOf } from './analysed-rows.ts'
import type { Answer, Question } from './analyst.ts'

async function answer({ id, fields, codes, records }: Question): Promise<Answer> {
  const hashes = new Set<number>()
  const each = (key: string, hash: number) => {
    const short = shortened(hash)
    if (!hashes.has(short) && isOfLetters(key)) hashes.add(short)
  }
  const rows: AnalysedRow[][] = []
  for (const data of records) {
    const texts = textsOf(fields, codes, data, [])
    rows.push(await Array.fromAsync(analysedRows(texts, rowCount(texts), each)))
  }
  return { id, rows, hashes: Int32Array.from(hashes) }
}

parentPort?.on('message', async (question: Question) => {
  parentPort?.postMessage(await answer(question))
})
parentPort?.postMessage('ready')
