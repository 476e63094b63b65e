import type { Operation } from '../../model/declaration/ingest-line.ts'
import { define, type JsonObject } from '../../model/json.ts'
import { mayHoldLongText } from '../../model/reading/long-text.ts'
import type { AnalysedRecord, AnalysedRecords } from '../analysis/analysed-rows.ts'
import type { Analyst, Answer } from '../analysis/analyst.ts'

const RECORDS_AT_ONCE = 64

/** Has records analysed while the rest of their batch is read and the first statements run, a few at a time. */
export class AnalysedAhead {
  readonly #analyst: Analyst
  readonly #fields: readonly string[]
  readonly #codes: ReadonlyMap<string, number>
  readonly #found = new Map<JsonObject, Promise<AnalysedRecord | null>>()
  #records: JsonObject[] = []

  constructor(analyst: Analyst, fields: readonly string[], codes: ReadonlyMap<string, number>) {
    this.#analyst = analyst
    this.#fields = fields
    this.#codes = codes
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
      fields: this.#fields,
      codes: this.#codes,
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
    for (const field of this.#fields) {
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
