import { FREE_SLICE_MS, type Turn } from './turns.ts'

/** A request that has run longer than this is heavy, and lets lighter requests of other callers go first. */
const HEAVY_MS = 100

/**
 * For requests whose engine runs in another process: none keeps the thread busy for long, but all share the processors.
 * Between two statements, a heavy request waits for lighter requests of other callers, for at most as long as it has run
 * itself. So these are hardly slowed down, and the heavy request takes at most twice its time, however many there are.
 */
export class LighterFirst {
  readonly #now: () => number
  readonly #open = new Set<SharedTurn>()
  readonly #ended = new Set<() => void>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Runs work as a request of a caller. */
  async run<T>(caller: string, work: (turn: Turn) => Promise<T>): Promise<T> {
    const turn = new SharedTurn(this, caller, this.#now)
    this.#open.add(turn)
    try {
      return await work(turn)
    } finally {
      turn.hasEnded = true
      this.#open.delete(turn)
      for (const wake of this.#ended) wake()
    }
  }

  isLighterOpen(caller: string): boolean {
    for (const turn of this.#open) if (turn.caller !== caller && turn.usedMs() < HEAVY_MS) return true
    return false
  }

  /** Resolves when a request has ended, or after a timeout. */
  async nextEnd(ms: number): Promise<void> {
    let wake = () => {}
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>(resolve => {
      wake = resolve
      this.#ended.add(wake)
      timer = setTimeout(resolve, ms)
    })
    clearTimeout(timer)
    this.#ended.delete(wake)
  }
}

class SharedTurn implements Turn {
  readonly #turns: LighterFirst
  readonly #now: () => number
  readonly caller: string
  hasEnded = false
  readonly #began: number
  #since: number
  #waitedMs = 0
  #passing: Promise<void> | null = null

  constructor(turns: LighterFirst, caller: string, now: () => number) {
    this.#turns = turns
    this.caller = caller
    this.#now = now
    this.#began = now()
    this.#since = this.#began
  }

  get isOver(): boolean {
    return this.#passing !== null || this.#now() - this.#since >= FREE_SLICE_MS
  }

  pass(): Promise<void> {
    this.#passing ??= this.#pass().finally(() => {
      this.#passing = null
    })
    return this.#passing
  }

  usedMs(): number {
    return this.#now() - this.#began - this.#waitedMs
  }

  async #pass(): Promise<void> {
    await new Promise(setImmediate)
    while (this.usedMs() >= HEAVY_MS && this.#turns.isLighterOpen(this.caller)) {
      const left = this.usedMs() - this.#waitedMs
      if (left <= 0) break
      const from = this.#now()
      await this.#turns.nextEnd(left)
      this.#waitedMs += this.#now() - from
    }
    this.#since = this.#now()
  }
}
