import type { Worker } from 'node:worker_threads'
import { CodedError, type ErrorCode } from '../../model/errors.ts'
import { type Heap, keepThread, takeThread } from './spare-threads.ts'
import type { Reply, Request, Served } from './thread.ts'

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
