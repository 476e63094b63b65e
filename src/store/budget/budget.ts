import { CodedError } from '../../model/errors.ts'
import type { Turn } from './turns.ts'

/** What one request may use. */
export interface Allowance {
  processorMs: number
  /** Records that are read because a filter decides. */
  rows: number
  /** Texts that are analysed, and their characters. */
  texts: number
  chars: number
}

/** For a search, which answers with what it found by then. */
export const SEARCH_ALLOWANCE: Allowance = {
  processorMs: 1_500,
  rows: 20_000,
  texts: 4_000,
  chars: 32 * 1024 * 1024,
}

const NONE = Number.POSITIVE_INFINITY
/** For reads whose answer is whole or none: lists with filters, counts, aggregates, changes. */
export const SCAN_ALLOWANCE: Allowance = { processorMs: 15_000, rows: NONE, texts: NONE, chars: NONE }
export const NO_LIMIT: Allowance = { ...SCAN_ALLOWANCE, processorMs: NONE }

export class BudgetExceeded extends CodedError {
  constructor() {
    super(
      'budget_exceeded',
      'This needs more work than one request may use. Ask for less: one stream, one connection, a shorter time.',
    )
  }
}

/** The client has gone, so nobody reads what this says. */
export class ClientLeft extends CodedError {
  constructor() {
    super('budget_exceeded', 'The client left before the answer was ready.')
  }
}

/**
 * What is left of a request's allowance. Every loop that can be long asks it, and lets others have their turn. What a
 * reader may not see uses up processor time but none of the counts, so that in general only time can make an answer
 * depend on it.
 */
export class Budget {
  readonly #left: Allowance
  readonly #turn: Turn
  /** Aborted when nobody waits for the answer any longer. */
  readonly signal: AbortSignal | null
  readonly #end: number

  constructor(allowance: Allowance, turn: Turn, signal: AbortSignal | null = null) {
    this.#left = { ...allowance }
    this.#turn = turn
    this.signal = signal
    this.#end = turn.usedMs() + allowance.processorMs
  }

  /** What is left of the counts, with a share of the time that is left. */
  part(share: number): Budget {
    const processorMs = Math.max(0, this.#end - this.#turn.usedMs()) * share
    return new Budget({ ...this.#left, processorMs }, this.#turn, this.signal)
  }

  /** Uses up a count; false when there is not enough left. */
  take(what: Exclude<keyof Allowance, 'processorMs'>, count: number): boolean {
    if (this.#left[what] < count) return false
    this.#left[what] -= count
    return true
  }

  /** Whether `pause` would do something. Loops over many small things ask this first, because it costs them less. */
  get isDue(): boolean {
    return this.#turn.isOver || this.signal?.aborted === true || this.#turn.usedMs() >= this.#end
  }

  /** Lets other requests have their turn, if it is their turn; fails when the time is used up or nobody waits. */
  async pause(): Promise<void> {
    await this.run(async () => {})
  }

  /** The same, followed by work. Work that waited together starts one by one, so that it does not run in one turn. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    while (this.#turn.isOver && !this.#turn.hasEnded) await this.#turn.pass()
    if (this.#turn.hasEnded || this.signal?.aborted) throw new ClientLeft()
    if (this.#turn.usedMs() >= this.#end) throw new BudgetExceeded()
    return work()
  }
}
