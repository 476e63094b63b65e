import { parentPort } from 'node:worker_threads'
import { CodedError } from '../../model/errors.ts'
import { type Allowance, Budget, NO_LIMIT } from '../budget/budget.ts'
import { CallDatabase } from '../budget/call-database.ts'
import { FreeTurn, type Turn, Turns } from '../budget/turns.ts'
import { withLease } from '../budget/with-lease.ts'
import type { Database, Location } from '../engine/database.ts'
import { collectNow } from '../engine/heap.ts'
import { type Memory, openDatabase, type Role } from '../engine/open-database.ts'
import { SerialQueue } from '../engine/serial-queue.ts'
import { CALLS, type CallName, SINKS, type Sink, type SinkName } from './calls.ts'

/** What the main thread sends: the store to serve, then calls, or the parts of a stream of bytes. */
export type Request =
  | { id: number; do: 'serve'; served: Served }
  | { id: number; do: 'call'; name: CallName; args: unknown }
  | { id: number; do: 'scan'; name: CallName; args: unknown; caller: string; allowance: Allowance }
  | { id: number; do: 'cancel'; call: number }
  | { id: number; do: 'open'; name: SinkName; args: unknown }
  | { id: number; do: 'write'; sink: number; chunk: Uint8Array }
  | { id: number; do: 'end' | 'abandon'; sink: number }
  | { id: number; do: 'ping' | 'close' }

export interface Served {
  location: Location
  role: Role
  memory: Memory
}

export type Reply =
  | { id: number; result: unknown }
  | {
      id: number
      error: {
        code: string | null
        message: string
        details: Record<string, unknown>
        stack: string
        /** Why, where the error itself does not say it. */
        cause: string | null
      }
    }

type Call = (db: Database, args: unknown, budget: Budget) => Promise<unknown>

/** What a thread does for one store, from `serve` to `close`. */
class Service {
  readonly role: Role
  readonly database: Database
  readonly #inTurns: boolean
  readonly #turns = new Turns()
  readonly #sinks = new Map<number, { sink: Sink; queue: SerialQueue; failed: unknown }>()
  /** Aborted when nobody waits for a scan any longer. */
  readonly #leaving = new Map<number, AbortController>()

  constructor({ location, role, memory }: Served) {
    this.role = role
    this.database = openDatabase(location, role, memory)
    // On PostgreSQL a scan mostly waits for the database, so others need not wait for it.
    this.#inTurns = location.engine === 'sqlite'
  }

  async answer(request: Request): Promise<unknown> {
    switch (request.do) {
      case 'call': {
        const budget = new Budget(NO_LIMIT, new FreeTurn())
        return (CALLS[request.name] as Call)(this.database, request.args, budget)
      }
      case 'scan': {
        const left = new AbortController()
        this.#leaving.set(request.id, left)
        return this.#taken(request.caller, async turn => {
          const budget = new Budget(request.allowance, turn, left.signal)
          return withLease(this.database, left.signal, view =>
            (CALLS[request.name] as Call)(new CallDatabase(view, budget), request.args, budget),
          )
        }).finally(() => this.#leaving.delete(request.id))
      }
      case 'cancel':
        this.#leaving.get(request.call)?.abort()
        return null
      case 'open':
        this.#sinks.set(request.id, {
          sink: SINKS[request.name](this.database, request.args as never),
          queue: new SerialQueue(),
          failed: null,
        })
        return request.id
      case 'write': {
        const open = this.#sinks.get(request.sink)
        return open?.queue.add(async () => {
          if (open.failed) throw open.failed
          await open.sink.write(request.chunk).catch(error => {
            open.failed = error
            throw error
          })
        })
      }
      case 'end': {
        const open = this.#sinks.get(request.sink)
        this.#sinks.delete(request.sink)
        return open?.queue.add(async () => {
          if (open.failed) throw open.failed
          return open.sink.end()
        })
      }
      case 'abandon':
        this.#sinks.delete(request.sink)
        return null
      case 'ping':
        return this.database.get('SELECT 1 AS one')
      default:
        return null
    }
  }

  #taken<T>(caller: string, work: (turn: Turn) => Promise<T>): Promise<T> {
    return this.#inTurns ? this.#turns.run(caller, work) : work(new FreeTurn())
  }
}

let service: Service | null = null
const IDLE_MS = 1_000
let busy = 0
let idle: NodeJS.Timeout | undefined

/** Upkeep when there is nothing else to do: the writer's index in small steps, then memory. Any request comes first. */
async function tidy(): Promise<void> {
  if (busy > 0 || !service) return
  const done =
    service.role !== 'writer' ||
    (await service.database.transaction(transaction => transaction.words.tidy()).catch(() => true))
  if (busy > 0) return
  if (done) collectNow()
  else idle = setTimeout(tidy, 5).unref()
}

async function answer(request: Request): Promise<unknown> {
  if (request.do === 'serve') {
    service = new Service(request.served)
    return null
  }
  const serving = service
  if (!serving) throw new Error('This thread serves no store.')
  if (request.do !== 'close') return serving.answer(request)
  service = null
  await serving.database[Symbol.asyncDispose]()
  return null
}

parentPort?.on('message', async (request: Request) => {
  busy++
  clearTimeout(idle)
  try {
    const result = await answer(request)
    parentPort?.postMessage({ id: request.id, result } satisfies Reply)
  } catch (thrown) {
    const error = thrown as Error
    const coded = error instanceof CodedError
    parentPort?.postMessage({
      id: request.id,
      error: {
        code: coded ? error.code : null,
        message: error.message,
        details: coded ? error.details : {},
        stack: error.stack ?? '',
        cause: error.cause instanceof Error ? (error.cause.stack ?? error.cause.message) : null,
      },
    } satisfies Reply)
  }
  busy--
  if (busy === 0) idle = setTimeout(tidy, IDLE_MS).unref()
})
