import pg from 'pg'
import { RecentlyUsed } from '../../../model/recently-used.ts'
import type { Result, Statement } from '../postgres-statements.ts'

/** How long a connection may take, and how long a statement may wait before the host is asked whether it is there. */
export const PATIENCE_MS = 10_000
const GOODBYE_MS = 2_000

/**
 * Ends the connections of a host that no longer answers. Otherwise their statements would wait for as long as the
 * operating system allows, which can be hours. A statement of a host that answers others may take as long as it needs.
 */
export class PostgresHost {
  readonly #config: pg.ClientConfig
  readonly #patienceMs: number
  #asked: Promise<boolean> | null = null

  constructor(config: pg.ClientConfig) {
    this.#patienceMs = config.connectionTimeoutMillis ?? PATIENCE_MS
    this.#config = { ...config, connectionTimeoutMillis: this.#patienceMs }
  }

  /** Sends a statement to a connection, which keeps its plan if that is asked for. */
  async query(client: pg.ClientBase, { prepared, ...statement }: Statement): Promise<Result> {
    const named = prepared ? { ...statement, name: preparedName(client, statement.text) } : statement
    const answer = answerTo(client, named)
    let isWaiting = true
    const asking = setInterval(async () => {
      if (!(await this.#isThere()) && isWaiting) socketOf(client)?.destroy(new HostSilent())
    }, this.#patienceMs)
    try {
      return await answer
    } catch (error) {
      // Its stack would lead only to the socket.
      if (error instanceof Error) Error.captureStackTrace(error)
      throw error
    } finally {
      isWaiting = false
      clearInterval(asking)
    }
  }

  /** Closes a connection soon, even if the host does not reply to the goodbye. */
  limitGoodbye(client: pg.ClientBase): void {
    const limit = setTimeout(() => socketOf(client)?.destroy(), GOODBYE_MS)
    client.once('end', () => clearTimeout(limit))
  }

  #isThere(): Promise<boolean> {
    this.#asked ??= this.#ask().finally(() => {
      this.#asked = null
    })
    return this.#asked
  }

  async #ask(): Promise<boolean> {
    const client = new pg.Client(this.#config)
    client.on('error', () => {})
    try {
      await client.connect()
      this.limitGoodbye(client)
      client.end().catch(() => {})
      return true
    } catch (error) {
      // A refusal is an answer too.
      return error instanceof pg.DatabaseError
    }
  }
}

/**
 * With a callback, because with the promise that the driver makes itself, V8 counts forty times as much of what queries
 * leave behind as old, and has to collect old objects as much more often.
 */
function answerTo(client: pg.ClientBase, statement: pg.QueryConfig): Promise<Result> {
  return new Promise((resolve, reject) =>
    client.query(statement, (error: Error | null, result) => (error ? reject(error) : resolve(result))),
  )
}

class HostSilent extends Error {
  readonly code = 'ETIMEDOUT'

  constructor() {
    super('The host of the database accepts connections, but does not answer.')
  }
}

/** The driver has no call to give a connection up. */
function socketOf(client: pg.ClientBase): { destroy(error?: Error): void } | undefined {
  return (client as unknown as { connection?: { stream?: { destroy(error?: Error): void } } }).connection
    ?.stream
}

/** Each prepared statement uses memory on the server, and each combination of filters is a separate statement. */
const MOST_PREPARED = 200

const namesOf = new WeakMap<pg.ClientBase, RecentlyUsed<string>>()
let lastName = 0

function names(client: pg.ClientBase): RecentlyUsed<string> {
  const known = namesOf.get(client) ?? new RecentlyUsed(MOST_PREPARED)
  namesOf.set(client, known)
  return known
}

/** The name under which the server prepares a statement once per connection. */
function preparedName(client: pg.ClientBase, text: string): string {
  return names(client).get(text, () => `s${++lastName}`)
}

/**
 * Drops the least recently used statements of a connection. Never inside a transaction, which would fail if the server
 * does not know a statement.
 */
export function forgetPrepared(client: pg.ClientBase): void {
  for (const name of names(client).takeExcess()) {
    client.query(`DEALLOCATE ${name}`).catch(() => {})
    // The driver also remembers names, and has no call to forget one.
    const { connection } = client as unknown as { connection?: { parsedStatements?: Record<string, string> } }
    delete connection?.parsedStatements?.[name]
  }
}
