import { Worker } from 'node:worker_threads'
import { SerialQueue } from '../../model/serial-queue.ts'
import { ocrFolder } from '../ocr/installation.ts'
import { broken, type Extracted, RECOGNISING, Unreadable } from './extracted.ts'
import type { Answer, Question } from './worker.ts'

/** Limits for reading the text of one document. */
interface Bounds {
  /**
   * Processor time, so that a busy machine does not cause rejections. The limit applies again to each picture whose
   * text is recognised.
   */
  processorMs: number
  heapMegabytes: number
  /** Including memory outside the heap, such as unpacked data. Copies of the document itself are not counted. */
  megabytes: number
  /** The same if the text of pictures is recognised. */
  megabytesWithPictures: number
}

/** Manuals of 900 to 2,400 pages need up to 180 MB. A picture of a page may need 320 MB. */
const BOUNDS: Bounds = {
  processorMs: 60_000,
  heapMegabytes: 320,
  megabytes: 320,
  megabytesWithPictures: 1_024,
}
/** The worker gets a copy, and the PDF library makes up to two more. */
const COPIES = 3
const LOOK_MS = 10
const MEGABYTE = 1024 * 1024

/**
 * Reads the texts of documents in a worker, one at a time. If a document takes too long or too much memory, the
 * worker is terminated, and the next document gets a new one.
 */
export class Extractor {
  readonly #bounds: Bounds
  #ocr: () => string | null
  #worker: Worker | null = null
  readonly #queue = new SerialQueue()

  /** `ocr` returns the folder where text recognition is installed; null if it is off. */
  constructor(bounds: Partial<Bounds> = {}, ocr: () => string | null = () => null) {
    this.#bounds = { ...BOUNDS, ...bounds }
    this.#ocr = ocr
  }

  /** Sets the data folder in which text recognition may be installed. */
  lookForOcrIn(dataFolder: string): void {
    this.#ocr = () => ocrFolder(dataFolder)
  }

  /** Whether the text in pictures is recognised. */
  get readsPictures(): boolean {
    return this.#ocr() !== null
  }

  /** The text of a document; null if it is not one. The bytes are copied. Throws `Unreadable`. */
  read(bytes: Uint8Array): Promise<Extracted | null> {
    return this.#queue.add(() => this.#readWithPictures(bytes))
  }

  async close(): Promise<void> {
    await this.#queue.add(async () => {
      await this.#worker?.terminate()
      this.#worker = null
    })
  }

  /**
   * If the pictures of a document take too much time or memory, the document is read without them, so that it is not
   * lost.
   */
  async #readWithPictures(bytes: Uint8Array): Promise<Extracted | null> {
    const ocr = this.#ocr()
    if (ocr === null) return this.#read({ bytes, ocr })
    try {
      return await this.#read({ bytes, ocr })
    } catch (error) {
      if (!(error instanceof UnrecognisedPicture)) throw error
      const extracted = (await this.#read({ bytes, ocr: null })) ?? NO_TEXT
      return { ...extracted, problem: error }
    }
  }

  async #read(question: Question): Promise<Extracted | null> {
    this.#worker ??= this.#start()
    const worker = this.#worker
    const answer = await this.#answer(worker, question).catch(async error => {
      this.#worker = null
      await worker.terminate()
      throw error
    })
    if ('code' in answer) throw new Unreadable(answer.code, answer.message)
    return answer.extracted
  }

  /** The worker's answer. Throws if the worker must not be used again. */
  async #answer(worker: Worker, question: Question): Promise<Answer> {
    // Keeps the process alive until the answer arrives, even if nothing else does.
    worker.ref()
    // `cpuUsage` fails until the worker has started.
    const used = () => worker.cpuUsage().catch(() => NOTHING_USED)
    let before = NOTHING_USED
    let isRecognising = false
    const { megabytes, megabytesWithPictures } = this.#bounds
    const mostBytes =
      (question.ocr === null ? megabytes : megabytesWithPictures) * MEGABYTE + COPIES * question.bytes.length
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const refuse = (error: Unreadable) =>
      reject(isRecognising ? new UnrecognisedPicture(error.code, error.message) : error)
    const stopped = (error: unknown) =>
      refuse(
        (error as NodeJS.ErrnoException)?.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? tooMuchMemory()
          : broken('reading it failed'),
      )
    const told = async (message: Answer | typeof RECOGNISING) => {
      if (message === RECOGNISING) {
        isRecognising = true
        before = await used()
      } else if (isRecognising && 'code' in message) refuse(new Unreadable(message.code, message.message))
      else resolve(message)
    }
    worker.on('message', told).on('error', stopped).once('exit', stopped)
    let isLooking = false
    let look: NodeJS.Timeout | undefined
    try {
      // A worker that stops meanwhile never says what it has used.
      before = await Promise.race([used(), promise.then(() => NOTHING_USED)])
      look = setInterval(async () => {
        if (isLooking) return
        isLooking = true
        const { processorMs, bytes: held } = await costOf(worker, before)
        isLooking = false
        if (processorMs > this.#bounds.processorMs)
          refuse(new Unreadable('took_too_long', 'The document takes too long to read.'))
        else if (held > mostBytes) refuse(tooMuchMemory())
      }, LOOK_MS)
      worker.postMessage(question)
      const answer = await promise
      worker.off('error', stopped).off('exit', stopped).unref()
      return answer
    } finally {
      worker.off('message', told)
      clearInterval(look)
    }
  }

  #start(): Worker {
    const file = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js'
    const worker = new Worker(new URL(file, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#bounds.heapMegabytes, maxYoungGenerationSizeMb: 32 },
      stderr: true,
      stdout: true,
    })
    const forget = () => {
      if (this.#worker === worker) this.#worker = null
    }
    // Between two documents nobody else listens, and an error that nobody listens to ends the process.
    return worker.on('error', forget).on('exit', forget)
  }
}

const NOTHING_USED: NodeJS.CpuUsage = { user: 0, system: 0 }

/** The processor time that a worker has used since `before`, and its memory; zero if it has ended. */
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

/** The text of a picture could not be recognised within the limits. */
class UnrecognisedPicture extends Unreadable {}

const NO_TEXT: Extracted = {
  kind: 'picture',
  text: '',
  pages: null,
  title: null,
  author: null,
  created_at: null,
}

function tooMuchMemory(): Unreadable {
  return new Unreadable('took_too_much_memory', 'The document takes too much memory to read.')
}

/** The extractor that all importers share. Its worker starts with the first document. */
export const extractor = new Extractor()
