import { getHeapStatistics } from 'node:v8'
import type { ingest as contract } from '../../api/records.ts'
import type { ReplyOf } from '../../api/route.ts'
import { searchedFields, timeField } from '../../model/declaration/declaration.ts'
import {
  type CutText,
  cutFields,
  lineReader,
  type Operation,
  Rejection,
} from '../../model/declaration/ingest-line.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { mayHoldLongText } from '../../model/reading/record.ts'
import { searchedValues } from '../analysis/analysed-rows.ts'
import {
  AnalysedGroup,
  type AnalysedRecord,
  type AnalysedRecords,
  type Analyst,
  analyst,
} from '../analysis/analyst.ts'
import type { Question } from '../analysis/answer.ts'
import type { Database } from '../engine/database.ts'
import { collectGarbage, collectNow, LARGE_CHARS } from '../engine/heap.ts'
import { scopeWord } from '../search/indexing.ts'
import { knownFieldCodes } from '../search/open-fields.ts'
import { type Line, LineSplitter, MAX_LINE_BYTES } from './ndjson.ts'
import { type IngestTarget, writeOperations } from './write-records.ts'

export interface IngestOutcome
  extends Omit<ReplyOf<typeof contract>, 'records_accepted' | 'records_rejected' | 'meta'> {
  /** Characters that no engine can store, which were replaced with U+FFFD. */
  cleaned: number
}

const BATCH_LINES = 500
const BATCH_CHARS = 4 * 1024 * 1024
const MOST_REJECTIONS = 1_000
/**
 * A line that is not cut as it arrives takes up to five times its bytes on the heap. A line too large for the heap
 * would crash the whole process.
 */
const MOST_LINE_BYTES = Math.min(MAX_LINE_BYTES, Math.floor(getHeapStatistics().heap_size_limit / 6))
const COLLECT_CHARS = 2 * 1024 * 1024

/**
 * Characters written since memory was last freed. Otherwise the heap would grow far beyond what it holds during a long
 * import.
 */
let charsSinceCollection = 0

/** The stream whose last batch changed little, so that analysing the next one ahead would be wasted work. */
let unchangedStream: string | null = null

/** Reads the bytes of an NDJSON body and writes the records in batches, each in one transaction. */
export class Ingest {
  readonly #database: Database
  readonly #target: IngestTarget
  readonly #read: (text: string, cut?: readonly CutText[]) => Operation
  readonly #splitter: LineSplitter
  readonly #outcome: IngestOutcome = {
    seen: 0,
    added: 0,
    updated: 0,
    unchanged: 0,
    deleted: 0,
    rejected: 0,
    rejections: [],
    cleaned: 0,
  }
  #batch: Operation[] = []
  #batchChars = 0
  #bytesSinceCollection = 0
  #ahead: AnalysedAhead | null = null

  constructor(database: Database, target: IngestTarget) {
    this.#database = database
    this.#target = target
    this.#read = lineReader(target.stream, timeField(target.stream))
    this.#splitter = new LineSplitter(line => this.#take(line), MOST_LINE_BYTES, cutFields(target.stream))
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#ahead === null && analyst.isReady && unchangedStream !== this.#name) await this.#analyseAhead()
    this.#splitter.push(chunk)
    this.#bytesSinceCollection += chunk.length
    if (this.#bytesSinceCollection > LARGE_CHARS) {
      this.#bytesSinceCollection = 0
      collectNow()
    }
    if (this.#batch.length >= BATCH_LINES || this.#batchChars >= BATCH_CHARS) await this.#flush()
  }

  async end(): Promise<IngestOutcome> {
    this.#splitter.end()
    await this.#flush()
    return this.#outcome
  }

  #take({ no, text, cut, invalid }: Line): void {
    this.#outcome.seen++
    try {
      if (invalid !== undefined) throw new Rejection('invalid_json', invalid.slice(0, 200))
      if (text === null) throw new Rejection('invalid_utf8', 'The line is not UTF-8.')
      if (text.length > LARGE_CHARS) collectGarbage()
      const operation = this.#read(text, cut)
      this.#outcome.cleaned += operation.cleaned
      this.#batch.push(operation)
      this.#ahead?.add(operation)
      this.#batchChars += operation.op === 'upsert' ? operation.line_chars : text.length
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      this.#outcome.rejected++
      if (this.#outcome.rejections.length < MOST_REJECTIONS)
        this.#outcome.rejections.push({ line: no, code: error.code, message: error.message })
    }
  }

  /** Possible only once all fields have codes, which the first batch assigns. */
  async #analyseAhead(): Promise<void> {
    const { owner_id, connection_id, stream } = this.#target
    const fields = searchedFields(stream)
    const codes = await knownFieldCodes(this.#database, owner_id, fields)
    const scope = scopeWord(owner_id, connection_id, stream.name)
    if (fields.length > 0 && fields.every(field => codes.has(field)))
      this.#ahead = new AnalysedAhead(analyst, { fields, codes, scope })
  }

  get #name(): string {
    const { connection_id, stream } = this.#target
    return `${connection_id} ${stream.name}`
  }

  async #flush(): Promise<void> {
    const batch = this.#batch
    const large = this.#batchChars > LARGE_CHARS
    charsSinceCollection += this.#batchChars
    this.#batch = []
    this.#batchChars = 0
    if (batch.length === 0) return
    if (large) collectGarbage()
    const effects = await writeOperations(this.#database, this.#target, batch, this.#ahead?.end())
    this.#ahead = null
    const changed = effects.filter(effect => effect !== 'unchanged').length
    analyst.noteIndexed(changed)
    unchangedStream = 2 * changed < effects.length ? this.#name : null
    batch.length = 0
    if (large) collectGarbage()
    else if (charsSinceCollection > COLLECT_CHARS) collectNow()
    if (charsSinceCollection > COLLECT_CHARS) charsSinceCollection = 0
    for (const effect of effects) this.#outcome[effect]++
    this.#database.noteGrowth(effects.filter(effect => effect === 'added').length)
  }
}

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
