import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import type { JsonObject } from '../../model/json.ts'
import { startThread } from '../start-thread.ts'
import { type Answer, answerTo, type Claimable, claim, claimable, type Question } from './answer.ts'

export interface Asked extends Claimable {
  id: number
}

interface Answered {
  id: number
  /** Null if the question was claimed before. */
  answer: Answer | null
}

/** A thread is worth its startup time and memory only if this many records are indexed within this time. */
const MANY_RECORDS = 2_000
const SOON_MS = 10_000
/** A thread that has been idle for this long is ended. */
const REST_AFTER_MS = 3_000
const HEAP = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 96 }

/**
 * Analyses texts in a separate thread beside the writer, so that both cores are used when many records are imported.
 * The thread is started once many records have arrived, and ended when no more arrive. If it stops, callers must
 * analyse the texts themselves.
 */
export class Analyst {
  #worker: Worker | null = null
  #isReady = false
  #lastId = 0
  readonly #waiting = new Map<number, (answer: Answer | null) => void>()
  #indexed = 0
  #since = 0
  #rest: NodeJS.Timeout | undefined

  /** Whether it accepts requests now. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Must be called with the number of records that were indexed. */
  noteIndexed(records: number): void {
    const now = performance.now()
    if (now - this.#since > SOON_MS) {
      this.#since = now
      this.#indexed = 0
    }
    this.#indexed += records
    if (this.#indexed >= MANY_RECORDS) this.start()
  }

  start(): void {
    if (this.#worker) return
    const file = import.meta.url.endsWith('.ts') ? './analyst-thread.ts' : './analyst-thread.js'
    const worker = startThread(new URL(file, import.meta.url), HEAP)
    const stopped = () => this.#stopped(worker)
    const take = (message: Answered | 'ready') => this.#worker === worker && this.#take(message)
    worker.on('message', take).on('error', stopped).on('exit', stopped).unref()
    this.#worker = worker
  }

  /** The result; null if the thread stopped, or if another one claimed the question. */
  analyse(claimable: Claimable): Promise<Answer | null> {
    const worker = this.#worker
    if (!worker) return Promise.resolve(null)
    const id = ++this.#lastId
    clearTimeout(this.#rest)
    worker.ref()
    return new Promise(resolve => {
      this.#waiting.set(id, resolve)
      worker.postMessage({ ...claimable, id } satisfies Asked)
    })
  }

  async end(): Promise<void> {
    const worker = this.#worker
    if (!worker) return
    this.#stopped(worker)
    await worker.terminate()
  }

  #take(message: Answered | 'ready'): void {
    if (message === 'ready') {
      this.#isReady = true
      this.#restLater()
      return
    }
    this.#waiting.get(message.id)?.(message.answer)
    this.#waiting.delete(message.id)
    if (this.#waiting.size > 0) return
    this.#worker?.unref()
    this.#restLater()
  }

  #restLater(): void {
    clearTimeout(this.#rest)
    this.#rest = setTimeout(() => void this.end(), REST_AFTER_MS).unref()
  }

  #stopped(worker: Worker): void {
    if (this.#worker !== worker) return
    this.#worker = null
    this.#isReady = false
    this.#indexed = 0
    clearTimeout(this.#rest)
    for (const resolve of this.#waiting.values()) resolve(null)
    this.#waiting.clear()
  }
}

/** The analyst used by this thread. */
export const analyst = new Analyst()

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
