import { constants, setPriority } from 'node:os'
import type { Vector } from '../model/search/meaning.ts'
import { loadModel, type Model } from './minilm.ts'

/*
 * The process that runs the model. It receives texts from its parent and answers with vectors; it opens no data, does
 * not listen and makes no connections. Queries are answered before records.
 */

export interface Question {
  no: number
  text: string
  /** A query is urgent; the texts of records are not. */
  kind: 'query' | 'record'
}

/** A vector, or null if the model does not know the language. */
export interface Answer {
  no: number
  vector: Vector | null
}

/** The most pieces of a query, and of a record. */
const QUERY_PIECES = 64
const RECORD_PIECES = 256
/**
 * If the model knows a smaller share of a query's words, the query is in another language, or mostly names. Of the
 * questions in XQuAD this excludes 2 % in English, 90 % in Spanish and all in Chinese.
 */
const LEAST_KNOWN = 0.7

/** Answers questions one after the other, queries first. */
export function answerQuestions(model: Model): void {
  const waiting: Record<Question['kind'], Question[]> = { query: [], record: [] }
  let isWorking = false
  const work = async () => {
    isWorking = true
    for (let next = take(); next; next = take()) {
      const { no, text, kind } = next
      const isForeign = kind === 'query' && model.knows(text) < LEAST_KNOWN
      const most = kind === 'query' ? QUERY_PIECES : RECORD_PIECES
      const vector = isForeign ? null : await model.embed(text, most)
      process.send?.({ no, vector } satisfies Answer)
      // Lets questions arrive in between.
      await new Promise(resolve => setImmediate(resolve))
    }
    isWorking = false
  }
  const take = () => waiting.query.shift() ?? waiting.record.shift()
  process.on('message', (question: Question) => {
    waiting[question.kind].push(question)
    if (!isWorking) void work()
  })
  process.on('disconnect', () => process.exit())
}

const [folder] = process.argv.slice(2)
if (import.meta.main && folder !== undefined) {
  setPriority(constants.priority.PRIORITY_LOW)
  answerQuestions(await loadModel(folder))
  process.send?.('ready')
}
