import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { CodedError, type ErrorCode } from '../../model/errors.ts'
import type { Location } from '../engine/database.ts'
import type { Memory, Role } from '../engine/open-database.ts'
import type { Reply, Request } from './thread.ts'

/** Space for young objects: what a scan leaves behind is collected early instead of piling up. */
const YOUNG_MEGABYTES = 24

export interface ThreadOptions {
  location: Location
  role: Role
  memory: Memory
  heapMegabytes: number
}

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** One worker thread from its start to its end. */
export class RunningThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #stopped: (cause: Error) => Error
  #lastId = 0
  #failure: Error | null = null
  #lastReply = 0

  /** `stopped` is told once why the thread ended, and returns the error for the requests that it left unanswered. */
  constructor({ location, role, memory, heapMegabytes }: ThreadOptions, stopped: (cause: Error) => Error) {
    this.#stopped = stopped
    const file = import.meta.url.endsWith('.ts') ? './start-thread.ts' : './start-thread.js'
    this.#worker = new Worker(new URL(file, import.meta.url), {
      workerData: { location, role, memory, compileCache: compileCacheFolder() },
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES, maxOldGenerationSizeMb: heapMegabytes },
    })
    this.#worker.on('message', (reply: Reply) => this.#settle(reply))
    this.#worker.on('error', error => this.#fail(error as Error))
    this.#worker.on('exit', code => this.#fail(new Error(`The thread exited with code ${code}.`)))
    this.#worker.unref()
  }

  /** For how long it has left requests unanswered. */
  get silentMs(): number {
    return this.#waiting.size === 0 ? 0 : performance.now() - this.#lastReply
  }

  /** The answer to a request. The thread is told when nobody waits for it any longer. */
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

  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }

  #settle(reply: Reply): void {
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

  #fail(cause: Error): void {
    if (this.#failure) return
    this.#failure = this.#stopped(cause)
    for (const waiting of this.#waiting.values()) waiting.reject(this.#failure)
    this.#waiting.clear()
  }
}

function withStack(error: Error, stack: string): Error {
  error.stack = stack
  return error
}

/** The folder that this thread keeps compiled code in, if it does; what is in use is a folder of this Node's in it. */
function compileCacheFolder(): string | null {
  const used = getCompileCacheDir()
  return used === undefined ? null : dirname(used)
}

/** A chunk that fills its memory is handed over; one that shares it is copied. */
function movable(chunk: Uint8Array): ArrayBuffer[] {
  const whole = chunk.buffer instanceof ArrayBuffer && chunk.byteLength === chunk.buffer.byteLength
  return whole ? [chunk.buffer as ArrayBuffer] : []
}
