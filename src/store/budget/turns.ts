import { CodedError } from '../../model/errors.ts'

/** After this long, a request yields to the next one; sooner in the thread that serves all requests. */
const SLICE_MS = 10
export const FREE_SLICE_MS = 4

/** How a request shares its thread with others. */
export interface Turn {
  /** Whether the request has used up its turn. */
  readonly isOver: boolean
  /** Whether the request was answered. Work that it left running gets no further turn. */
  readonly hasEnded: boolean
  /** Yields, and resolves when it is this request's turn again. */
  pass(): Promise<void>
  /** The processor time that this request has used in its turns. */
  usedMs(): number
}

/** For work that does not share its thread: elapsed time is used as processor time. */
export class FreeTurn implements Turn {
  readonly hasEnded = false
  #since = performance.now()

  get isOver(): boolean {
    return performance.now() - this.#since >= FREE_SLICE_MS
  }

  async pass(): Promise<void> {
    await new Promise(setImmediate)
    this.#since = performance.now()
  }

  usedMs(): number {
    return performance.now()
  }
}

/**
 * Requests whose statements block the thread take turns, one caller after the other, however many requests a caller
 * has. So a short request is served between two slices of a long one.
 */
export class Turns {
  readonly #waiting: CallersTurn[] = []
  readonly #callers = new Map<string, CallersTurn>()
  #current: CallersTurn | null = null

  /** Runs work in the turns of a caller. */
  async run<T>(caller: string, work: (turn: Turn) => Promise<T>): Promise<T> {
    const turn = this.#callers.get(caller) ?? new CallersTurn(this)
    this.#callers.set(caller, turn)
    turn.works++
    try {
      await turn.begin()
      return await work(turn)
    } finally {
      if (--turn.works === 0) {
        this.#callers.delete(caller)
        turn.end()
      }
    }
  }

  get othersWait(): boolean {
    return this.#waiting.length > 0
  }

  async take(turn: CallersTurn): Promise<void> {
    if (this.#current === null) this.#current = turn
    else {
      await new Promise<void>(resolve => {
        turn.resume = resolve
        this.#waiting.push(turn)
      })
    }
  }

  leave(turn: CallersTurn): void {
    if (this.#current !== turn) return
    this.#current = this.#waiting.shift() ?? null
    this.#current?.resume()
  }
}

class CallersTurn implements Turn {
  readonly #turns: Turns
  works = 0
  hasEnded = false
  resume: () => void = () => {}
  #began: Promise<void> | null = null
  #passing: Promise<void> | null = null
  #since = 0
  #processorAtStart = 0
  #usedMs = 0
  #has = false

  constructor(turns: Turns) {
    this.#turns = turns
  }

  get isOver(): boolean {
    return !this.#has || performance.now() - this.#since >= SLICE_MS
  }

  begin(): Promise<void> {
    this.#began ??= this.#take()
    return this.#began
  }

  pass(): Promise<void> {
    this.#passing ??= this.#pass().finally(() => {
      this.#passing = null
    })
    return this.#passing
  }

  usedMs(): number {
    return this.#usedMs + (this.#has ? processorMs() - this.#processorAtStart : 0)
  }

  end(): void {
    this.hasEnded = true
    this.#release()
  }

  async #pass(): Promise<void> {
    // Lets requests and cancellations that have arrived be read first.
    await new Promise(setImmediate)
    if (this.hasEnded) return
    if (this.#turns.othersWait) {
      this.#release()
      await this.#take()
      if (this.hasEnded) this.#release()
    }
    this.#since = performance.now()
  }

  async #take(): Promise<void> {
    await this.#turns.take(this)
    this.#has = true
    this.#since = performance.now()
    this.#processorAtStart = processorMs()
  }

  #release(): void {
    this.#usedMs = this.usedMs()
    this.#has = false
    this.#turns.leave(this)
  }
}

/** Reading the processor time takes longer than many of the steps between two checks. */
const FRESH_MS = 1
let asked = { at: Number.NEGATIVE_INFINITY, processorMs: 0 }

/** The processor time of this thread, at most one millisecond old. */
function processorMs(): number {
  const at = performance.now()
  if (at - asked.at >= FRESH_MS) {
    const { user, system } = process.threadCpuUsage()
    asked = { at, processorMs: (user + system) / 1_000 }
  }
  return asked.processorMs
}

/** Requests of one caller that may wait while another of its requests runs. */
const MOST_WAITING = 32
const RETRY_AFTER_S = 2

/**
 * A queue for each caller in front of work that may take long: a second request of the same caller would take processor
 * time from others. Callers do not wait for each other here; the threads share their time between them. So a caller with
 * many requests only slows down itself.
 */
export class FairQueue {
  /** Those who wait for the running request of a caller. */
  readonly #waiting = new Map<string, (() => void)[]>()

  /** Waits for a place, and returns a function that releases it. */
  async enter(caller: string, signal: AbortSignal): Promise<() => void> {
    const waiting = this.#waiting.get(caller)
    if (!waiting) this.#waiting.set(caller, [])
    else if (waiting.length >= MOST_WAITING) throw tooMany()
    else await waitIn(waiting, signal)
    let left = false
    return () => {
      if (!left) this.#leave(caller)
      left = true
    }
  }

  /** Passes the place to the next in the queue, or frees it. */
  #leave(caller: string): void {
    const next = this.#waiting.get(caller)?.shift()
    if (next) next()
    else this.#waiting.delete(caller)
  }
}

function waitIn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.splice(waiting.indexOf(enter), 1)
      reject(tooMany())
    }
    const enter = () => {
      signal.removeEventListener('abort', leave)
      resolve()
    }
    waiting.push(enter)
    signal.addEventListener('abort', leave, { once: true })
  })
}

function tooMany(): CodedError {
  return new CodedError(
    'rate_limit_exceeded',
    `Too many searches and counts of this client are waiting. Try again in ${RETRY_AFTER_S} s.`,
    { retry_after: RETRY_AFTER_S },
  )
}
