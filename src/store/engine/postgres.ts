import pg from 'pg'
import { forgetPrepared, PATIENCE_MS, PostgresHost } from './connections/postgres-host.ts'
import { PostgresLanes } from './connections/postgres-lanes.ts'
import { LONGEST_LIST, PostgresUpkeep } from './connections/postgres-upkeep.ts'
import type { Lease, Queryable, Transaction, View } from './database.ts'
import { explained, GuardedDatabase, GuardedReads } from './guarded-database.ts'
import { type Connection, PostgresStatements, type Statement } from './postgres-statements.ts'
import { type Ways, WordStatistics } from './postgres-statistics.ts'
import { placeTables } from './upgrades/postgres-definitions.ts'

const BIGINT_OID = 20
pg.types.setTypeParser(BIGINT_OID, Number)

export interface PostgresOptions {
  url: string
  connections: number
  /** `full` waits for the disk, `normal` only for the server's memory. */
  durability: 'full' | 'normal'
  /** How long one statement may take, in milliseconds; 0 means no limit. */
  statementTimeoutMs: number
  /** How long a statement may wait for a lock that another session holds, in milliseconds; 0 means no limit. */
  lockTimeoutMs?: number
  /** How to look up words, instead of deciding by the server's statistics. */
  ways?: Ways
  /** How long the host may be silent, in milliseconds. */
  patienceMs?: number
}

/** Otherwise the operating system notices only after two hours that the other side of an idle connection is gone. */
const KEEP_ALIVE_MS = 60_000
const MIGRATION_LOCK = 7_204_117

export class PostgresDatabase extends GuardedDatabase {
  protected readonly statements: PostgresStatements
  /** For transactions; single statements use the lanes. */
  readonly #pool: pg.Pool
  readonly #pooled = new Set<pg.PoolClient>()
  readonly #host: PostgresHost
  readonly #lanes: PostgresLanes
  readonly #wordLanes: PostgresLanes
  readonly #upkeep: PostgresUpkeep
  #held: pg.PoolClient | null = null
  readonly #leased: readonly Leased[]
  #removed = 0

  constructor({
    url,
    connections,
    durability,
    statementTimeoutMs,
    lockTimeoutMs = 0,
    ways: given,
    patienceMs,
  }: PostgresOptions) {
    super()
    // Rows that a word leads to are usually in memory, and rarely on a spinning disk.
    const settings = [
      `synchronous_commit=${durability === 'full' ? 'on' : 'off'}`,
      'jit=off',
      'random_page_cost=1.1',
      `statement_timeout=${statementTimeoutMs}`,
      `lock_timeout=${lockTimeoutMs}`,
      `gin_pending_list_limit=${LONGEST_LIST}`,
    ]
    const config = {
      connectionString: url,
      options: settings.map(setting => `-c ${setting}`).join(' '),
      connectionTimeoutMillis: patienceMs ?? PATIENCE_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    }
    this.#host = new PostgresHost(config)
    // A transaction may wait for a connection for as long as others take; only opening one has a limit.
    const Client = class extends pg.Client {
      constructor() {
        super(config)
      }
    }
    this.#pool = new pg.Pool({ max: connections, Client })
    // A lost connection is replaced by the next query; the query that was using it reports the problem. The pool itself
    // only listens to connections that nobody uses, and an error that nobody listens to ends the process.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', client => {
      client.on('error', () => {})
      this.#pooled.add(client)
    })
    this.#pool.on('remove', client => {
      this.#removed++
      this.#pooled.delete(client)
    })
    this.#lanes = new PostgresLanes(config, connections)
    this.#upkeep = new PostgresUpkeep(this.#lanes)
    // The server assumes that reading all rows is cheap, because long values are stored elsewhere: one text of 50 MB
    // would take as long as everything else together. With only one plan possible, nothing has to be planned again.
    const byWord = `${config.options} -c enable_seqscan=off -c plan_cache_mode=force_generic_plan`
    this.#wordLanes = new PostgresLanes({ ...config, options: byWord }, connections)
    const ways = given ?? new WordStatistics(this.#lanes)
    this.statements = new PostgresStatements(this.#lanes, { connection: this.#wordLanes, ways })
    this.#leased = Array.from({ length: connections }, (_, lane) => ({
      users: 0,
      view: new PostgresLaneView(
        this,
        new PostgresStatements(this.#lanes.lane(lane), { connection: this.#wordLanes.lane(lane), ways }),
      ),
    }))
  }

  override get losses(): number {
    return this.#lanes.losses + this.#removed
  }

  /** The statements of one lease run in sequence on one connection, and do not wait for those of another. */
  override lease(): Lease {
    const [first, ...rest] = this.#leased as [Leased, ...Leased[]]
    const leased = rest.reduce((least, each) => (each.users < least.users ? each : least), first)
    leased.users++
    return {
      view: leased.view,
      // A statement on a shared connection is left to the time limit.
      stop: async () => {
        if (leased.users === 1) await leased.view.pausedDuring(this.#cancel(this.#leased.indexOf(leased)))
      },
      release: () => leased.users--,
    }
  }

  /** Resolves when no later statement can be cancelled by mistake. */
  async #cancel(lane: number): Promise<void> {
    for (const lanes of [this.#lanes, this.#wordLanes]) {
      const process = await lanes.processOf(lane)
      if (process === null) continue
      await this.runTransaction(transaction => transaction.run('SELECT pg_cancel_backend(?)', [process]))
      await lanes
        .lane(lane)
        .query({ text: 'SELECT 1' })
        .catch(() => {})
    }
  }

  exclusively<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.transaction(async transaction => {
      // Another server may need long to upgrade a large database.
      await transaction.run('SET LOCAL lock_timeout = 0')
      await transaction.run(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`)
      const result = await work(transaction)
      await placeTables(transaction)
      return result
    })
  }

  async frozen(): Promise<Queryable> {
    const held = await orExplained(this.#pool.connect())
    this.#held = held
    const query = (statement: Statement) => orExplained(this.#connectionOf(held).query(statement))
    await query({ text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' })
    await query({ text: 'SELECT 1' })
    return new PostgresStatements({ query })
  }

  noteGrowth(records: number): void {
    this.#upkeep.noteGrowth(records)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lanes.end()
    await this.#wordLanes.end()
    for (const client of this.#pooled) this.#host.limitGoodbye(client)
    // Closing the connection ends its transaction.
    this.#held?.release(true)
    await this.#pool.end()
  }

  protected runAlone<T>(work: () => Promise<T>): Promise<T> {
    return work()
  }

  protected async runTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    const connection = this.#connectionOf(client)
    try {
      forgetPrepared(client)
      await connection.query({ text: 'BEGIN' })
      const result = await work(new PostgresStatements(connection, null, this.#upkeep.noteWords))
      await connection.query({ text: 'COMMIT' })
      client.release()
      await this.#upkeep.moveWords()
      return result
    } catch (error) {
      const rolledBack = await connection.query({ text: 'ROLLBACK' }).then(
        () => true,
        () => false,
      )
      client.release(!rolledBack)
      throw error
    }
  }

  #connectionOf(client: pg.PoolClient): Connection {
    return { query: statement => this.#host.query(client, statement) }
  }
}

interface Leased {
  view: PostgresLaneView
  /** The number of leases that share it. */
  users: number
}

/** The same database, read through connections that only one or a few requests use. */
class PostgresLaneView extends GuardedReads implements View {
  readonly identity: object
  protected readonly statements: PostgresStatements
  #pause: Promise<void> | null = null

  constructor(identity: object, statements: PostgresStatements) {
    super()
    this.identity = identity
    this.statements = statements
  }

  /** Statements that are asked for in the meantime are sent afterwards. */
  async pausedDuring(work: Promise<void>): Promise<void> {
    this.#pause = work.catch(() => {})
    await this.#pause
    this.#pause = null
    await work
  }

  protected async guard<T>(work: () => Promise<T>): Promise<T> {
    if (this.#pause) await this.#pause
    return orExplained(work())
  }
}

function orExplained<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    throw explained(error)
  })
}
