import type { Operation } from '../../model/declaration/ingest-line.ts'
import { define, type JsonObject } from '../../model/json.ts'
import { mayHoldLongText } from '../../model/reading/long-text.ts'
import type { AnalysedRecord, AnalysedRecords } from '../analysis/analysed-rows.ts'
import type { Analyst, Answer, Question } from '../analysis/analyst.ts'

const RECORDS_AT_ONCE = 64

/**
 * Analyses records in another thread while the rest of their batch is read and the first statements run, a few at a
 * time.
 */
export class AnalysedAhead {
  readonly #analyst: Analyst
  readonly #asked: Omit<Question, 'id' | 'records'>
  readonly #found = new Map<JsonObject, Promise<AnalysedRecord | null>>()
  #records: JsonObject[] = []

  constructor(analyst: Analyst, asked: Omit<Question, 'id' | 'records'>) {
    this.#analyst = analyst
    this.#asked = asked
  }

  /** Long texts are left to the writer: they are analysed piece by piece as they are stored. */
  add(operation: Operation): void {
    if (operation.op === 'delete' || mayHoldLongText(operation.line_chars)) return
    this.#records.push(operation.data)
    if (this.#records.length >= RECORDS_AT_ONCE) this.#send()
  }

  end(): AnalysedRecords {
    if (this.#records.length > 0) this.#send()
    return this.#found
  }

  #send(): void {
    const records = this.#records
    this.#records = []
    const answer = this.#analyst.analyse({
      ...this.#asked,
      records: records.map(data => this.#searched(data)),
    })
    for (const [i, data] of records.entries())
      this.#found.set(
        data,
        answer.then(given => recordOf(given, i)),
      )
  }

  #searched(data: JsonObject): JsonObject {
    const searched: JsonObject = {}
    for (const field of this.#asked.fields) {
      const value = Object.hasOwn(data, field) ? data[field] : undefined
      if (value !== undefined) define(searched, field, value)
    }
    return searched
  }
}

function recordOf(answer: Answer | null, i: number): AnalysedRecord | null {
  const rows = answer?.rows[i]
  return answer && rows ? { rows, hashes: answer.hashes } : null
}
