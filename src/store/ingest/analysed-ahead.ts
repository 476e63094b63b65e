import type { Operation } from '../../model/declaration/ingest-line.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { mayHoldLongText } from '../../model/reading/record.ts'
import { AnalysedGroup, type AnalysedRecord, type AnalysedRecords } from '../analysis/analysed-group.ts'
import { searchedValues } from '../analysis/analysed-rows.ts'
import type { Analyst } from '../analysis/analyst.ts'
import type { Question } from '../analysis/answer.ts'

const RECORDS_AT_ONCE = 64

/**
 * Analyses records in another thread while the rest of their batch is read and the first statements run, a few at a
 * time.
 */
export class AnalysedAhead {
  readonly #analyst: Analyst
  readonly #asked: Omit<Question, 'values'>
  readonly #groups: AnalysedGroup[] = []
  readonly #found = new Map<JsonObject, AnalysedRecord>()
  #records: JsonObject[] = []

  constructor(analyst: Analyst, asked: Omit<Question, 'values'>) {
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
    const values: Json[] = []
    for (const data of records) values.push(...searchedValues(this.#asked.fields, data))
    const group = new AnalysedGroup(this.#analyst, { ...this.#asked, values }, this.#groups)
    this.#groups.push(group)
    for (const [no, data] of records.entries()) this.#found.set(data, { group, no })
  }
}
