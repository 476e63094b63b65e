import { setImmediate as nextTurn } from 'node:timers/promises'
import type { JsonObject } from '../../model/json.ts'
import type { Analyst } from './analyst.ts'
import { type Answer, answerTo, type Claimable, claim, claimable, type Question } from './answer.ts'

/** A record that is analysed before being written, together with others. */
export interface AnalysedRecord {
  group: AnalysedGroup
  /** Its place among them. */
  no: number
}

/** The analysed records of a batch, by their data. */
export type AnalysedRecords = ReadonlyMap<JsonObject, AnalysedRecord>

/** Records that are analysed together: in the other thread, or here if this one would only wait for it. */
export class AnalysedGroup {
  readonly #claimable: Claimable
  readonly #batch: readonly AnalysedGroup[]
  #answer: Promise<Answer | null>
  #isAnswered = false

  /** `batch` has all groups of the batch, in the order in which the other thread takes them. */
  constructor(analyst: Analyst, question: Question, batch: readonly AnalysedGroup[]) {
    this.#claimable = claimable(question)
    this.#batch = batch
    this.#answer = analyst.analyse(this.#claimable).finally(() => {
      this.#isAnswered = true
    })
  }

  /** Null if the records have to be analysed one by one. */
  async answer(): Promise<Answer | null> {
    while (!this.#isAnswered && this.#batch.findLast(group => group.#analyseHere())) await nextTurn()
    return this.#answer
  }

  #analyseHere(): boolean {
    if (this.#isAnswered || !claim(this.#claimable)) return false
    this.#answer = Promise.resolve(answerTo(this.#claimable.question))
    this.#isAnswered = true
    return true
  }
}
