import { setTimeout as sleep } from 'node:timers/promises'
import { serviceUnavailable } from '../../model/errors.ts'
import type { Allowance } from '../budget/budget.ts'
import { FairQueue } from '../budget/turns.ts'
import type {
  ReadArgs,
  ReadName,
  ReadResult,
  SinkArgs,
  SinkName,
  SinkResult,
  WriteArgs,
  WriteName,
  WriteResult,
} from './calls.ts'
import { heapLimit, RunningThread, type ThreadOptions } from './running-thread.ts'

const MOST_CHUNKS_ON_THE_WAY = 8
/** A thread that stops is replaced after this wait; each stop soon after a start doubles it. */
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 1_000
const STEADY_MS = 60_000
const RETRY_AFTER_S = 1
/** A thread may be busy with one large record for this long before it counts as down. */
const LONGEST_SILENCE_MS = 60_000
/**
 * A thread that was not called for this long is ended. An idle thread takes a lot of memory; starting one takes a
 * fraction of a second.
 */
const REST_AFTER_MS = 30_000

/** `busy` means that it answers late, which one large record can cause. */
export type PartState = 'ok' | 'busy' | 'down'

const STOPPED = {
  writer:
    'The part of the server that stores changes stopped and is being restarted. This change may or may not be stored.',
  reader: 'The part of the server that searches and counts stopped and is being restarted.',
}

export interface WorkerOptions extends Omit<ThreadOptions, 'role' | 'heapMegabytes'> {
  heapMegabytes?: number
  restAfterMs?: number
}

export interface ScanOptions {
  /** Requests with the same caller share their turns. */
  caller: string
  allowance: Allowance
  signal: AbortSignal
}

/**
 * The calling side of a worker thread. The thread is started when needed, ended after it was idle for a while, and
 * replaced if it stops.
 */
class StoreWorker implements AsyncDisposable {
  readonly #options: ThreadOptions
  readonly #restAfterMs: number
  /** Called with the reason when a thread stops. */
  onStop: (cause: Error) => void = () => {}
  /** How many times the thread was replaced. */
  restarts = 0
  #thread: RunningThread | null = null
  #startedAt: number | null = null
  #wait = FIRST_WAIT_MS
  #ping: Promise<unknown> | null = null
  /** Calls that are not answered yet. */
  #calls = 0
  #rest: NodeJS.Timeout | undefined
  #ending: Promise<void> | null = null
  #closed = false

  constructor(role: ThreadOptions['role'], { restAfterMs = REST_AFTER_MS, ...options }: WorkerOptions) {
    this.#options = { heapMegabytes: heapLimit(role), ...options, role }
    this.#restAfterMs = restAfterMs
  }

  /** Whether a thread is running. */
  get isRunning(): boolean {
    return this.#thread !== null
  }

  /** Checks whether the thread can reach its database. */
  async state(timeoutMs: number): Promise<PartState> {
    const thread = this.#thread
    if (!thread) return this.#startedAt === null ? 'ok' : 'down'
    this.#ping ??= thread.send({ do: 'ping' }).finally(() => {
      this.#ping = null
    })
    const late = new AbortController()
    const answer = this.#ping.then(
      () => 'ok' as const,
      () => 'down' as const,
    )
    const state = await Promise.race([
      answer,
      sleep(timeoutMs, 'late' as const, late).catch(() => 'ok' as const),
    ])
    late.abort()
    if (state !== 'late') return state
    return thread.silentMs < LONGEST_SILENCE_MS ? 'busy' : 'down'
  }

  /** Ends the thread immediately, like a crash; it is replaced. */
  async kill(): Promise<void> {
    await this.#thread?.terminate()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const thread = this.#thread
    this.#closed = true
    clearTimeout(this.#rest)
    await this.#ending
    await thread?.close()
  }

  protected async use<T>(work: (thread: RunningThread) => Promise<T>): Promise<T> {
    const thread = this.#running()
    this.#calls++
    clearTimeout(this.#rest)
    try {
      return await work(thread)
    } finally {
      if (--this.#calls === 0 && !this.#closed) this.#restLater()
    }
  }

  #restLater(): void {
    clearTimeout(this.#rest)
    this.#rest = setTimeout(() => {
      this.#ending = this.#endIdle().finally(() => {
        this.#ending = null
      })
    }, this.#restAfterMs).unref()
  }

  /** Ends the thread if it has nothing left to do. A call in the meantime starts another. */
  async #endIdle(): Promise<void> {
    const thread = this.#thread
    const isDone = await thread?.send({ do: 'rest' }).catch(() => false)
    if (this.#calls > 0 || this.#closed || thread !== this.#thread || !thread) return
    if (!isDone) return this.#restLater()
    this.#thread = null
    this.#startedAt = null
    await thread.end()
  }

  #running(): RunningThread {
    const failure = this.#startedAt === null ? this.#start() : null
    if (!this.#thread) throw failure ?? this.#unavailable()
    return this.#thread
  }

  /** The error for callers if the system allows no further thread; it is tried again later. */
  #start(): Error | null {
    if (this.#closed) return null
    this.#startedAt = performance.now()
    try {
      const thread = new RunningThread(this.#options, cause =>
        this.#thread === thread ? this.#stopped(cause) : this.#unavailable(cause),
      )
      this.#thread = thread
    } catch (error) {
      return this.#stopped(error as Error)
    }
    this.#restLater()
    return null
  }

  #stopped(cause: Error): Error {
    this.#thread = null
    if (!this.#closed) {
      this.restarts++
      this.onStop(cause)
      if (performance.now() - (this.#startedAt ?? 0) > STEADY_MS) this.#wait = FIRST_WAIT_MS
      setTimeout(() => this.#start(), this.#wait).unref()
      this.#wait = Math.min(LONGEST_WAIT_MS, this.#wait * 2)
    }
    return this.#unavailable(cause)
  }

  #unavailable(cause?: Error): Error {
    return serviceUnavailable(STOPPED[this.#options.role], RETRY_AFTER_S, cause)
  }
}

/** Does every write. */
export class Writer extends StoreWorker {
  constructor(options: WorkerOptions) {
    super('writer', options)
  }

  async call<Name extends WriteName>(name: Name, args: WriteArgs<Name>): Promise<WriteResult<Name>> {
    return (await this.use(thread => thread.send({ do: 'call', name, args }))) as WriteResult<Name>
  }

  /** Sends a stream of bytes to a sink, never more than a few chunks ahead of it, and returns its result. */
  async pour<Name extends SinkName>(
    name: Name,
    args: SinkArgs<Name>,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<SinkResult<Name>> {
    return (await this.use(thread => pour(thread, name, args, chunks))) as SinkResult<Name>
  }
}

/** Does the reads that may take long. */
export class Scanner extends StoreWorker {
  /** Where reads wait for others of the same caller. */
  readonly queue = new FairQueue()

  constructor(options: WorkerOptions) {
    super('reader', options)
  }

  /** Reads within a budget, and only as long as someone waits for it. */
  async scan<Name extends ReadName>(
    name: Name,
    args: ReadArgs<Name>,
    { signal, ...within }: ScanOptions,
  ): Promise<ReadResult<Name>> {
    const answer = await this.use(thread => thread.scan({ name, args, ...within }, signal))
    return answer as ReadResult<Name>
  }
}

async function pour(
  thread: RunningThread,
  name: SinkName,
  args: unknown,
  chunks: AsyncIterable<Uint8Array>,
): Promise<unknown> {
  const sink = (await thread.send({ do: 'open', name, args })) as number
  const onTheWay = new Set<Promise<unknown>>()
  try {
    for await (const chunk of chunks) {
      const sent = thread.send({ do: 'write', sink, chunk }).finally(() => onTheWay.delete(sent))
      onTheWay.add(sent)
      sent.catch(() => {})
      if (onTheWay.size >= MOST_CHUNKS_ON_THE_WAY) await Promise.race(onTheWay)
    }
    await Promise.all(onTheWay)
    return await thread.send({ do: 'end', sink })
  } catch (error) {
    await thread.send({ do: 'abandon', sink }).catch(() => {})
    throw error
  }
}
