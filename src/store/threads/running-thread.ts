import { totalmem } from 'node:os'
import type { Worker } from 'node:worker_threads'
import { CodedError, type ErrorCode } from '../../model/errors.ts'
import { startThread } from '../start-thread.ts'
import type { ThreadRole } from './calls.ts'
import { SentSources } from './sent-sources.ts'
import type { Reply, Request, Scan, Served } from './thread.ts'

const MOST_MEGABYTES = { writer: 4_096, reader: 1_024 }
/** The share of the machine's memory that a worker's heap may take. */
const SHARE = { writer: 1 / 2, reader: 1 / 4 }
const LEAST_MEGABYTES = 128

/**
 * The size of the young generation. What a scan leaves behind is collected early instead of piling up. A search has
 * more of it: its candidates should be garbage before they count as old, because old garbage costs a full collection.
 */
const YOUNG_MEGABYTES = { writer: 12, reader: 24 }

/** How large the heap of a worker may grow, in megabytes. See docs/decisions/13-workers-are-replaced.md. */
export function heapLimit(role: 'writer' | 'reader'): number {
  const machine = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  const share = Math.floor((machine * SHARE[role]) / (1024 * 1024))
  return Math.max(LEAST_MEGABYTES, Math.min(MOST_MEGABYTES[role], share))
}

export interface ThreadOptions extends Served {
  heapMegabytes: number
}

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** One worker thread, from the moment it serves a store until it closes that store or stops. */
export class RunningThread {
  readonly #worker: Worker
  readonly #heap: Heap
  readonly #waiting = new Map<number, Waiting>()
  readonly #sources = new SentSources()
  readonly #stopped: (cause: Error) => Error
  #lastId = 0
  #failure: Error | null = null
  #lastReply = 0

  /**
   * `stopped` is called once with the reason why the thread ended, and returns the error for its unanswered requests.
   */
  constructor({ heapMegabytes, ...served }: ThreadOptions, stopped: (cause: Error) => Error) {
    this.#stopped = stopped
    this.#heap = { heapMegabytes, role: served.role }
    this.#worker = takeThread(this.#heap)
    this.#worker.on('message', this.#settle).on('error', this.#fail).on('exit', this.#exited).unref()
    this.send({ do: 'serve', served }).catch(error => {
      this.#fail(error)
      return this.terminate()
    })
  }

  /** For how long requests have been unanswered, in milliseconds. */
  get silentMs(): number {
    return this.#waiting.size === 0 ? 0 : performance.now() - this.#lastReply
  }

  /** The answer to a request. The thread is notified when nobody waits for it any longer. */
  send(request: WithoutId<Request>, signal?: AbortSignal): Promise<unknown> {
    if (this.#failure) return Promise.reject(this.#failure)
    const id = ++this.#lastId
    const cancel = () => this.#worker.postMessage({ id: ++this.#lastId, do: 'cancel', call: id })
    signal?.addEventListener('abort', cancel, { once: true })
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) {
        this.#lastReply = performance.now()
        this.#worker.ref()
      }
      this.#waiting.set(id, { resolve, reject })
      this.#worker.postMessage({ ...request, id }, request.do === 'write' ? movable(request.chunk) : [])
    }).finally(() => signal?.removeEventListener('abort', cancel))
  }

  /** A read, for as long as someone waits for it. */
  scan(scan: Omit<Scan, 'id' | 'do' | 'args'> & { args: unknown }, signal: AbortSignal): Promise<unknown> {
    return this.send({ ...scan, do: 'scan', args: this.#sources.pack(scan.args) }, signal)
  }

  /** Closes its store. The thread is kept for the next store if it has nothing left to do. */
  async close(): Promise<void> {
    if (await this.#leaveStore()) keepThread(this.#worker, this.#heap)
    else await this.terminate()
  }

  /** Closes its store and ends. */
  async end(): Promise<void> {
    await this.#leaveStore()
    await this.terminate()
  }

  /** Whether the thread has nothing left to do: a late answer must not reach another store. */
  async #leaveStore(): Promise<boolean> {
    const closed = await this.send({ do: 'close' }).then(
      () => true,
      () => false,
    )
    if (!closed) return false
    this.#failure = new Error('The thread no longer serves this store.')
    this.#worker.off('message', this.#settle).off('error', this.#fail).off('exit', this.#exited)
    const isDone = this.#waiting.size === 0
    this.#refuseWaiting(this.#failure)
    return isDone
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }

  readonly #settle = (reply: Reply): void => {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    this.#lastReply = performance.now()
    if (this.#waiting.size === 0) this.#worker.unref()
    if (!('error' in reply)) {
      waiting?.resolve(reply.result)
      return
    }
    const { code, message, details, stack, cause } = reply.error
    const why = cause === null ? undefined : withStack(new Error(message), cause)
    waiting?.reject(
      code === null
        ? withStack(new Error(message), stack)
        : new CodedError(code as ErrorCode, message, details, why),
    )
  }

  readonly #exited = (code: number): void => this.#fail(new Error(`The thread exited with code ${code}.`))

  readonly #fail = (cause: Error): void => {
    if (this.#failure) return
    this.#failure = this.#stopped(cause)
    this.#refuseWaiting(this.#failure)
  }

  #refuseWaiting(failure: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(failure)
    this.#waiting.clear()
  }
}

function withStack(error: Error, stack: string): Error {
  error.stack = stack
  return error
}

/** A chunk that fills its buffer is transferred; one that shares its buffer is copied. */
function movable(chunk: Uint8Array): ArrayBuffer[] {
  const whole = chunk.buffer instanceof ArrayBuffer && chunk.byteLength === chunk.buffer.byteLength
  return whole ? [chunk.buffer as ArrayBuffer] : []
}

const MOST_SPARE = 4

/** The limits of a thread's heap. */
interface Heap {
  heapMegabytes: number
  role: ThreadRole
}

/**
 * Threads that closed their store, kept for the next one with the same limit. A thread takes much longer to load its
 * code than to open a store.
 */
const spare = new Set<Heap & { worker: Worker; forget(): void }>()

function takeThread({ heapMegabytes, role }: Heap): Worker {
  const found = [...spare].find(thread => thread.heapMegabytes === heapMegabytes && thread.role === role)
  if (!found) return newThread({ heapMegabytes, role })
  found.forget()
  return found.worker.off('error', found.forget).off('exit', found.forget)
}

function keepThread(worker: Worker, { heapMegabytes, role }: Heap): void {
  if (spare.size >= MOST_SPARE) {
    worker.terminate()
    return
  }
  const kept = { worker, heapMegabytes, role, forget: () => void spare.delete(kept) }
  spare.add(kept)
  worker.on('error', kept.forget).on('exit', kept.forget).unref()
}

function newThread({ heapMegabytes, role }: Heap): Worker {
  const file = import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js'
  const limits = { maxYoungGenerationSizeMb: YOUNG_MEGABYTES[role], maxOldGenerationSizeMb: heapMegabytes }
  return startThread(new URL(file, import.meta.url), limits)
}
