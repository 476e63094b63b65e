import pg from 'pg'
import type { Connection, Result, Statement } from '../postgres-statements.ts'
import { forgetPrepared, PostgresHost } from './postgres-host.ts'

/**
 * A few connections that each carry many short queries at once, so that concurrent reads share round trips. Queries that
 * one request asks for together take the same connection, the first of the least busy ones, so queries in sequence need
 * only one. All queries of a turn of the event loop are sent together.
 */
export class PostgresLanes {
  readonly #config: pg.ClientConfig
  readonly #host: PostgresHost
  readonly #lanes: (Promise<pg.Client> | null)[]
  /** How many queries of each lane are not answered yet. */
  readonly #unanswered: number[]
  /** The lane of the queries that are asked for together. */
  #taken: number | null = null
  /** The connections whose queries wait for the end of this turn. */
  readonly #held = new Set<pg.Client>()
  /** How many times a connection was lost. */
  losses = 0

  constructor(config: pg.ClientConfig, count: number) {
    this.#config = config
    this.#host = new PostgresHost(config)
    this.#lanes = Array.from({ length: count }, () => null)
    this.#unanswered = this.#lanes.map(() => 0)
  }

  query(statement: Statement): Promise<Result> {
    if (this.#taken === null) {
      this.#taken = this.#unanswered.indexOf(Math.min(...this.#unanswered))
      // After the promises that are ready now: what follows later belongs to another request, or to another answer.
      queueMicrotask(() => process.nextTick(() => (this.#taken = null)))
    }
    return this.#query(this.#taken, statement)
  }

  /** One of the connections. */
  lane(lane: number): Connection {
    return { query: statement => this.#query(lane, statement) }
  }

  async #query(lane: number, statement: Statement): Promise<Result> {
    this.#unanswered[lane] = (this.#unanswered[lane] ?? 0) + 1
    try {
      const client = await (this.#lanes[lane] ?? this.#open(lane))
      this.#hold(client)
      const result = this.#host.query(client, statement)
      forgetPrepared(client)
      return await result
    } finally {
      this.#unanswered[lane] = (this.#unanswered[lane] ?? 1) - 1
    }
  }

  #hold(client: pg.Client): void {
    if (this.#held.size === 0) setImmediate(() => this.#send())
    if (this.#held.has(client)) return
    this.#held.add(client)
    client.connection.stream.cork()
  }

  #send(): void {
    for (const client of this.#held) client.connection.stream.uncork()
    this.#held.clear()
  }

  /** The id of the server process behind a lane, if the lane is open. */
  async processOf(lane: number): Promise<number | null> {
    const client = await this.#lanes[lane]?.catch(() => null)
    return (client as { processID?: number } | null | undefined)?.processID ?? null
  }

  async end(): Promise<void> {
    for (const lane of this.#lanes) {
      const client = await lane?.catch(() => null)
      if (!client) continue
      this.#host.limitGoodbye(client)
      await client.end()
    }
  }

  /** The next query reopens a lost lane; the queries that were running on it fail with the reason. */
  #open(lane: number): Promise<pg.Client> {
    const client = new pg.Client({ ...this.#config, pipeline: true } as pg.ClientConfig)
    const opened = client.connect().then(() => client)
    this.#lanes[lane] = opened
    // Another connection may have taken its place before the last event of a lost one.
    const drop = () => {
      if (this.#lanes[lane] === opened) this.#lanes[lane] = null
    }
    client.on('error', drop)
    client.on('end', () => {
      this.losses++
      drop()
    })
    opened.catch(drop)
    return opened
  }
}
