import type { Database, Lease, Queryable, Transaction } from '../engine/database.ts'
import { GuardedStatements } from '../engine/guarded-database.ts'
import { type Budget, BudgetExceeded, ClientLeft } from './budget.ts'

/** PostgreSQL's code for a cancelled statement. */
const STATEMENT_STOPPED = '57014'

/** A database as seen by one request: each statement checks the request's budget first. */
export class CallDatabase extends GuardedStatements implements Database {
  protected readonly statements: Database
  readonly #budget: Budget

  constructor(database: Database, budget: Budget) {
    super()
    this.statements = database
    this.#budget = budget
  }

  get identity(): object {
    return this.statements.identity
  }

  get losses(): number | null {
    return this.statements.losses
  }

  get changes(): number | null {
    return this.statements.changes
  }

  lease(): Lease {
    return this.statements.lease()
  }

  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.guard(() => this.statements.transaction(work))
  }

  exclusively<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.guard(() => this.statements.exclusively(work))
  }

  frozen(): Promise<Queryable> {
    return this.statements.frozen()
  }

  noteGrowth(records: number): Promise<void> {
    return this.statements.noteGrowth(records)
  }

  async [Symbol.asyncDispose](): Promise<void> {}

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
  work: (view: Database) => Promise<T>,
): Promise<T> {
  const lease = database.lease()
  let stopping: Promise<void> | null = null
  const stop = () => {
    // If the database cannot be reached, the statement has stopped anyway.
    stopping = lease.stop().catch(() => {})
  }
  left.addEventListener('abort', stop, { once: true })
  try {
    return await work(lease.database)
  } finally {
    left.removeEventListener('abort', stop)
    await stopping
    lease.release()
  }
}
