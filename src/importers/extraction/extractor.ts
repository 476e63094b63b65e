import { Worker } from 'node:worker_threads'
import { broken, type Extracted, UNREADABLE, Unreadable } from './extracted.ts'
import type { Answer } from './worker.ts'

/** The most that the text of one document may cost. */
export interface Bounds {
  /** Of a processor, so that a busy machine rejects nothing. */
  processorMs: number
  heapMegabytes: number
  /** With what is not on the heap: the bytes that a document unpacks to. */
  megabytes: number
}

const BOUNDS: Bounds = { processorMs: 60_000, heapMegabytes: 512, megabytes: 1_024 }
const LOOK_MS = 50
const MEGABYTE = 1024 * 1024

/** Documents above this are not read. */
export const MOST_DOCUMENT_BYTES = 256 * MEGABYTE

/**
 * Reads the texts of documents in a worker, one at a time. A document that takes too long or too much memory costs the
 * worker its life; the next document gets a new one.
 */
export class Extractor {
  readonly #bounds: Bounds
  #worker: Worker | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(bounds: Partial<Bounds> = {}) {
    this.#bounds = { ...BOUNDS, ...bounds }
  }

  /** The text of a document; null if it is not one. The bytes are copied. Throws `Unreadable`. */
  read(bytes: Uint8Array): Promise<Extracted | null> {
    const next = this.#last.then(() => this.#read(bytes))
    this.#last = next.catch(() => {})
    return next
  }

  async close(): Promise<void> {
    await this.#last
    await this.#worker?.terminate()
    this.#worker = null
  }

  async #read(bytes: Uint8Array): Promise<Extracted | null> {
    this.#worker ??= this.#start()
    const worker = this.#worker
    const answer = await this.#answer(worker, bytes).catch(async error => {
      this.#worker = null
      await worker.terminate()
      throw error
    })
    if ('code' in answer) throw new Unreadable(answer.code, answer.message)
    return answer.extracted
  }

  /** What the worker answers. It throws if the worker must not be used again. */
  async #answer(worker: Worker, bytes: Uint8Array): Promise<Answer> {
    // From here on the process must not end: nothing else may be waiting.
    worker.ref()
    // A worker that is just starting has used nothing.
    const before = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }))
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const stopped = (error: unknown) =>
      reject(
        (error as NodeJS.ErrnoException)?.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuchMemory() : failed(),
      )
    worker.once('message', resolve).on('error', stopped).once('exit', stopped)
    const look = setInterval(async () => {
      const { processorMs, bytes: held } = await costOf(worker, before)
      if (processorMs > this.#bounds.processorMs) reject(tooSlow())
      else if (held > this.#bounds.megabytes * MEGABYTE) reject(tooMuchMemory())
    }, LOOK_MS)
    try {
      worker.postMessage(bytes)
      const answer = await promise
      worker.off('error', stopped).off('exit', stopped).unref()
      return answer
    } finally {
      clearInterval(look)
    }
  }

  #start(): Worker {
    const file = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js'
    return new Worker(new URL(file, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#bounds.heapMegabytes, maxYoungGenerationSizeMb: 32 },
      stderr: true,
      stdout: true,
    })
  }
}

/** What a worker has used of a processor since then, and what it holds; nothing if it has ended meanwhile. */
async function costOf(
  worker: Worker,
  before: NodeJS.CpuUsage,
): Promise<{ processorMs: number; bytes: number }> {
  try {
    const [{ user, system }, held] = await Promise.all([worker.cpuUsage(before), worker.getHeapStatistics()])
    return { processorMs: (user + system) / 1_000, bytes: held.total_heap_size + held.external_memory }
  } catch {
    return { processorMs: 0, bytes: 0 }
  }
}

function tooSlow(): Unreadable {
  return new Unreadable(UNREADABLE.tooSlow.code, 'The document takes too long to read.')
}

function tooMuchMemory(): Unreadable {
  return new Unreadable(UNREADABLE.tooMuchMemory.code, 'The document takes too much memory to read.')
}

function failed(): Unreadable {
  return broken('reading it failed')
}

/** The one that importers share. Its worker starts with the first document. */
export const extractor = new Extractor()
