import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { CodedError, type ErrorCode } from '../../model/errors.ts'
import type { Location } from '../engine/database.ts'
import type { Memory, Role } from '../engine/open-database.ts'
import type { CallArgs, CallName, CallResult, SinkArgs, SinkName, SinkResult } from './calls.ts'
import type { Reply, Request } from './thread.ts'

/** Room for young objects: what a scan leaves behind is collected early instead of piling up. */
const YOUNG_MEGABYTES = 24
const MOST_CHUNKS_ON_THE_WAY = 8
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** The calling side of a worker thread: typed calls, and sinks for streams of bytes. */
export class StoreWorker implements AsyncDisposable {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #gone: Error | null = null

  constructor(location: Location, role: Role, memory: Memory) {
    const file = import.meta.url.endsWith('.ts') ? './start-thread.ts' : './start-thread.js'
    this.#worker = new Worker(new URL(file, import.meta.url), {
      workerData: { location, role, memory, compileCache: compileCacheFolder() },
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    })
    this.#worker.on('message', (reply: Reply) => this.#settle(reply))
    this.#worker.on('error', error => this.#fail(error as Error))
    this.#worker.on('exit', () => this.#fail(new Error('The store worker has stopped.')))
    this.#worker.unref()
  }

  call<Name extends CallName>(name: Name, args: CallArgs<Name>): Promise<CallResult<Name>> {
    return this.#send({ do: 'call', name, args }) as Promise<CallResult<Name>>
  }

  /** Sends a stream of bytes to a sink, never more than a few chunks ahead of it, and returns its answer. */
  async pour<Name extends SinkName>(
    name: Name,
    args: SinkArgs<Name>,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<SinkResult<Name>> {
    const sink = (await this.#send({ do: 'open', name, args })) as number
    const onTheWay = new Set<Promise<unknown>>()
    try {
      for await (const chunk of chunks) {
        const sent = this.#send({ do: 'write', sink, chunk }).finally(() => onTheWay.delete(sent))
        onTheWay.add(sent)
        sent.catch(() => {})
        if (onTheWay.size >= MOST_CHUNKS_ON_THE_WAY) await Promise.race(onTheWay)
      }
      await Promise.all(onTheWay)
      return (await this.#send({ do: 'end', sink })) as SinkResult<Name>
    } catch (error) {
      await this.#send({ do: 'abandon', sink }).catch(() => {})
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#gone) return
    await this.#send({ do: 'close' })
    await this.#worker.terminate()
  }

  #send(request: WithoutId<Request>): Promise<unknown> {
    if (this.#gone) return Promise.reject(this.#gone)
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) this.#worker.ref()
      this.#waiting.set(id, { resolve, reject })
      this.#worker.postMessage({ ...request, id }, request.do === 'write' ? movable(request.chunk) : [])
    })
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if (this.#waiting.size === 0) this.#worker.unref()
    if (!('error' in reply)) {
      waiting?.resolve(reply.result)
      return
    }
    const { code, message, details, stack } = reply.error
    const error = code === null ? new Error(message) : new CodedError(code as ErrorCode, message, details)
    if (code === null) error.stack = stack
    waiting?.reject(error)
  }

  #fail(error: Error): void {
    this.#gone ??= error
    for (const waiting of this.#waiting.values()) waiting.reject(error)
    this.#waiting.clear()
  }
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
