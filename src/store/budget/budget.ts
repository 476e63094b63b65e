import { CodedError } from '../../model/errors.ts'
import type { Database, View } from '../engine/database.ts'
import { GuardedReads } from '../engine/guarded-database.ts'
import type { Turn } from './turns.ts'

/** The resources that one request may use. */
export interface Allowance extends Counts {
  processorMs: number
}

interface Counts {
  /** Records that are read because of a filter. */
  rows: number
  /** Texts that are analysed, and their characters. */
  texts: number
  chars: number
}

/** For a search, which returns what it has found when this runs out. */
export const SEARCH_ALLOWANCE: Allowance = {
  processorMs: 1_500,
  rows: 20_000,
  texts: 4_000,
  chars: 32 * 1024 * 1024,
}

const NONE = Number.POSITIVE_INFINITY
/** For reads that return everything or fail: lists with filters, counts, aggregates, changes. */
export const SCAN_ALLOWANCE: Allowance = { processorMs: 15_000, rows: NONE, texts: NONE, chars: NONE }

export class BudgetExceeded extends CodedError {
  constructor() {
    super(
      'budget_exceeded',
      'This needs more work than one request may use. Ask for less: one stream, one connection, a shorter time.',
    )
  }
}

/** The client has disconnected, so nobody reads this message. */
export class ClientLeft extends CodedError {
  constructor() {
    super('budget_exceeded', 'The client left before the answer was ready.')
  }
}

/**
 * What is left of a request's allowance. Every loop that may run long checks it and yields to other requests. Data that
 * the reader may not see uses processor time but none of the counts, so in general only time can make a response depend
 * on it.
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

  /** The remaining counts, with a share of the remaining time. */
  part(share: number): Budget {
    const processorMs = Math.max(0, this.#end - this.#turn.usedMs()) * share
    return new Budget({ ...this.#left, processorMs }, this.#turn, this.signal)
  }

  /** Uses up some of a count; false if not enough is left. */
  take(what: keyof Counts, count: number): boolean {
    if (this.#left[what] < count) return false
    this.#left[what] -= count
    return true
  }

  /**
   * Work that may use a share of what is left of a count; what it leaves is there for other work. Only for work that is
   * done one after the other.
   */
  async share<T>(what: keyof Counts, share: number, work: () => Promise<T>): Promise<T> {
    const left = this.#left[what]
    const own = Math.ceil(left * share)
    const others = left === own ? 0 : left - own
    this.#left[what] = own
    try {
      return await work()
    } finally {
      this.#left[what] += others
    }
  }

  /** Whether `pause` would do anything. Loops over many small items check this first, because it is cheaper. */
  get isDue(): boolean {
    return this.#turn.isOver || this.signal?.aborted === true || this.#turn.usedMs() >= this.#end
  }

  /** Yields to other requests if it is their turn; fails if the time is used up or nobody waits for the answer. */
  async pause(): Promise<void> {
    await this.run(async () => {})
  }

  /**
   * The same, followed by work. Work that waited at the same time starts one by one, so that it does not all run in one
   * turn.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    while (this.#turn.isOver && !this.#turn.hasEnded) await this.#turn.pass()
    if (this.#turn.hasEnded || this.signal?.aborted) throw new ClientLeft()
    if (this.#turn.usedMs() >= this.#end) throw new BudgetExceeded()
    return work()
  }
}

/**
 * Like Promise.all, but a failure is thrown only after everything has ended. A search continues after one part of it
 * ran out of time, and what is left of that part would use the time of the next.
 */
export async function allEnded<T extends readonly unknown[] | []>(
  works: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(works)
  return Promise.all(works)
}

/** PostgreSQL's code for a cancelled statement. */
const STATEMENT_STOPPED = '57014'

/** A database as one request reads it: each statement checks the request's budget first. */
export class BudgetedView extends GuardedReads implements View {
  protected readonly statements: View
  readonly #budget: Budget

  constructor(view: View, budget: Budget) {
    super()
    this.statements = view
    this.#budget = budget
  }

  get identity(): object {
    return this.statements.identity
  }

  protected async guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#budget.run(work)
    } catch (error) {
      if ((error as { code?: unknown }).code !== STATEMENT_STOPPED) throw error
      throw this.#budget.signal?.aborted ? new ClientLeft() : new BudgetExceeded()
    }
  }
}

/**
 * Runs work with a database view for one request. A statement that is still running when the client disconnects is
 * cancelled.
 */
export async function withLease<T>(
  database: Database,
  left: AbortSignal,
  work: (view: View) => Promise<T>,
): Promise<T> {
  const lease = database.lease()
  let stopping: Promise<void> | null = null
  const stop = () => {
    // If the database cannot be reached, the statement has stopped anyway.
    stopping = lease.stop().catch(() => {})
  }
  left.addEventListener('abort', stop, { once: true })
  try {
    return await work(lease.view)
  } finally {
    left.removeEventListener('abort', stop)
    await stopping
    lease.release()
  }
}
