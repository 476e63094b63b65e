/** After so long a request lets the next one have its turn; in the thread that serves everybody, sooner. */
const SLICE_MS = 10
export const FREE_SLICE_MS = 4

/** How a request shares its thread with others. */
export interface Turn {
  /** Whether it has had the thread long enough. */
  readonly isOver: boolean
  /** Whether it was answered. What it left running gets no further turn. */
  readonly hasEnded: boolean
  /** Lets others go first, and returns when it is this one's turn again. */
  pass(): Promise<void>
  /** The processor time that was used in its turns. */
  usedMs(): number
}

/** For work that shares its thread with nobody: time is time. */
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
 * Requests whose statements keep the thread busy take turns, one caller after the other, however many requests a caller
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
    // Requests and cancellations that have arrived are read first.
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

/** Asking the system takes longer than many a step between two questions. */
const FRESH_MS = 1
let asked = { at: Number.NEGATIVE_INFINITY, processorMs: 0 }

/** The processor time of this thread, as it was at most a millisecond ago. */
function processorMs(): number {
  const at = performance.now()
  if (at - asked.at >= FRESH_MS) {
    const { user, system } = process.threadCpuUsage()
    asked = { at, processorMs: (user + system) / 1_000 }
  }
  return asked.processorMs
}
