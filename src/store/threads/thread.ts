import { parentPort } from 'node:worker_threads'
import { CodedError } from '../../model/errors.ts'
import { type Allowance, Budget, BudgetedView, withLease } from '../budget/budget.ts'
import { LighterFirst } from '../budget/lighter-first.ts'
import { type Turn, Turns } from '../budget/turns.ts'
import type { Database, Location, View } from '../engine/database.ts'
import { collectNow } from '../engine/heap.ts'
import { startTimesAnew } from '../engine/identifiers.ts'
import { type Memory, openDatabase } from '../engine/open-database.ts'
import { yieldToOthers } from '../thread-priority.ts'
import type { Sink, SinkName, ThreadRole } from './calls.ts'
import { type Packed, ReceivedSources } from './sent-sources.ts'

/** What the main thread sends: the store to serve, then calls, or the parts of a stream of bytes. */
export type Request =
  | { id: number; do: 'serve'; served: Served }
  | { id: number; do: 'call'; name: string; args: unknown }
  | Scan
  | { id: number; do: 'cancel'; call: number }
  | { id: number; do: 'open'; name: SinkName; args: unknown }
  | { id: number; do: 'write'; sink: number; chunk: Uint8Array }
  | { id: number; do: 'end' | 'abandon'; sink: number }
  | { id: number; do: 'ping' | 'rest' | 'close' }

export interface Scan {
  id: number
  do: 'scan'
  name: string
  args: Packed
  caller: string
  allowance: Allowance
}

export interface Served {
  location: Location
  role: ThreadRole
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
        /** The reason, if the error itself does not contain it. */
        cause: string | null
      }
    }

/**
 * A scan that is measured by the clock gets a little less time, because this thread and the database work in parallel.
 */
const CLOCK_FACTOR = 0.9

type Write = (database: Database, args: unknown) => Promise<unknown>
type Read = (view: View, args: unknown, budget: Budget) => Promise<unknown>
type OpenSink = (db: Database, args: unknown) => Sink

/** The code of a role. Loading the other role's code too would take as much time and memory again. */
interface Code {
  calls: Readonly<Record<string, unknown>>
  sinks: Readonly<Record<string, unknown>>
}

async function codeOf(role: ThreadRole): Promise<Code> {
  if (role === 'reader') return { calls: (await import('./reads.ts')).READS, sinks: {} }
  const { WRITES, SINKS } = await import('./writes.ts')
  return { calls: WRITES, sinks: SINKS }
}

/** What a thread does for one store, from `serve` to `close`. */
class Service {
  readonly role: ThreadRole
  readonly database: Database
  readonly #code: Code
  readonly #turns: Turns | LighterFirst
  /** Each part waits for the one before it, so nothing is written after a failure. */
  readonly #sinks = new Map<number, { sink: Sink; written: Promise<void> }>()
  readonly #sources = new ReceivedSources()
  /** Aborted when nobody waits for a scan any longer. */
  readonly #leaving = new Map<number, AbortController>()

  private constructor({ location, role }: Served, database: Database, code: Code) {
    this.role = role
    this.database = database
    this.#code = code
    // On PostgreSQL a scan mostly waits for the database, so others need not wait for it.
    this.#turns = location.engine === 'sqlite' ? new Turns() : new LighterFirst()
  }

  static async begin(served: Served): Promise<Service> {
    const { location, role, memory } = served
    startTimesAnew()
    yieldToOthers(role)
    const [code, database] = await Promise.all([codeOf(role), openDatabase(location, role, memory)])
    return new Service(served, database, code)
  }

  async answer(request: Request): Promise<unknown> {
    switch (request.do) {
      case 'call':
        return (this.#code.calls[request.name] as Write)(this.database, request.args)
      case 'scan': {
        const args = this.#sources.unpack(request.args)
        const left = new AbortController()
        this.#leaving.set(request.id, left)
        const work = async (turn: Turn) => {
          const budget = new Budget(this.#allowed(request.allowance), turn, left.signal)
          return withLease(this.database, left.signal, view =>
            (this.#code.calls[request.name] as Read)(new BudgetedView(view, budget), args, budget),
          )
        }
        return this.#turns.run(request.caller, work).finally(() => this.#leaving.delete(request.id))
      }
      case 'cancel':
        this.#leaving.get(request.call)?.abort()
        return null
      case 'open':
        this.#sinks.set(request.id, {
          sink: (this.#code.sinks[request.name] as OpenSink)(this.database, request.args),
          written: Promise.resolve(),
        })
        return request.id
      case 'write': {
        const open = this.#sinks.get(request.sink)
        if (open) open.written = open.written.then(() => open.sink.write(request.chunk))
        return open?.written
      }
      case 'end': {
        const open = this.#sinks.get(request.sink)
        this.#sinks.delete(request.sink)
        return open?.written.then(() => open.sink.end())
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

  #allowed({ processorMs, ...counts }: Allowance): Allowance {
    return { ...counts, processorMs: this.#turns instanceof Turns ? processorMs : processorMs * CLOCK_FACTOR }
  }
}

/** Set by `serve` before anything else is requested; null until then and after `close`. */
let service: Promise<Service> | null = null
const IDLE_MS = 1_000
let busy = 0
let idle: NodeJS.Timeout | undefined
/** Whether the upkeep after the last request is done. */
let tidied = true

/** Upkeep while there is nothing else to do: the writer's index in small steps, then memory. Any request goes first. */
async function tidy(): Promise<void> {
  const idling = await service
  if (busy > 0 || !idling) return
  const done =
    idling.role !== 'writer' ||
    (await idling.database.transaction(transaction => transaction.words.tidy()).catch(() => true))
  if (busy > 0) return
  tidied = done
  if (done) collectNow()
  else idle = setTimeout(tidy, 5).unref()
}

async function answer(request: Request): Promise<unknown> {
  if (request.do === 'serve') {
    service = Service.begin(request.served)
    await service.catch(error => {
      service = null
      throw error
    })
    return null
  }
  const serving = await service
  if (!serving) throw new Error('This thread serves no store.')
  if (request.do === 'rest') return tidied
  if (request.do !== 'close') return serving.answer(request)
  service = null
  await serving.database[Symbol.asyncDispose]()
  return null
}

parentPort?.on('message', async (request: Request) => {
  const isWork = request.do !== 'ping' && request.do !== 'rest'
  if (isWork) {
    busy++
    clearTimeout(idle)
    tidied = false
  }
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
  if (isWork && --busy === 0) idle = setTimeout(tidy, IDLE_MS).unref()
})
