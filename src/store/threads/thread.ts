import { parentPort, workerData } from 'node:worker_threads'
import { CodedError } from '../../model/errors.ts'
import { type Allowance, Budget, NO_LIMIT } from '../budget/budget.ts'
import { CallDatabase } from '../budget/call-database.ts'
import { FreeTurn, type Turn, Turns } from '../budget/turns.ts'
import type { Database, Location } from '../engine/database.ts'
import { collectNow } from '../engine/heap.ts'
import { type Memory, openDatabase, type Role } from '../engine/open-database.ts'
import { SerialQueue } from '../engine/serial-queue.ts'
import { CALLS, type CallName, SINKS, type Sink, type SinkName } from './calls.ts'

/** What the main thread sends: a call, or the parts of a stream of bytes. */
export type Request =
  | { id: number; do: 'call'; name: CallName; args: unknown }
  | { id: number; do: 'scan'; name: CallName; args: unknown; caller: string; allowance: Allowance }
  | { id: number; do: 'cancel'; call: number }
  | { id: number; do: 'open'; name: SinkName; args: unknown }
  | { id: number; do: 'write'; sink: number; chunk: Uint8Array }
  | { id: number; do: 'end' | 'abandon'; sink: number }
  | { id: number; do: 'ping' | 'close' }

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

const { location, role, memory } = workerData as { location: Location; role: Role; memory: Memory }
const database = openDatabase(location, role, memory)
const sinks = new Map<number, { sink: Sink; queue: SerialQueue; failed: unknown }>()

/** Aborted when nobody waits for a scan any longer. */
const leaving = new Map<number, AbortController>()
const turns = new Turns()

type Call = (db: Database, args: unknown, budget: Budget) => Promise<unknown>

/** On PostgreSQL a scan mostly waits for the database, so others need not wait for it. */
function inTurns<T>(caller: string, work: (turn: Turn) => Promise<T>): Promise<T> {
  return location.engine === 'sqlite' ? turns.run(caller, work) : work(new FreeTurn())
}

const IDLE_MS = 1_000
let busy = 0
let idle: NodeJS.Timeout | undefined

/** Upkeep when there is nothing else to do: the writer's index in small steps, then memory. Any request comes first. */
async function tidy(): Promise<void> {
  if (busy > 0) return
  const done =
    role !== 'writer' ||
    (await database.transaction(transaction => transaction.words.tidy()).catch(() => true))
  if (busy > 0) return
  if (done) collectNow()
  else idle = setTimeout(tidy, 5).unref()
}

async function answer(request: Request): Promise<unknown> {
  switch (request.do) {
    case 'call':
      return (CALLS[request.name] as Call)(database, request.args, new Budget(NO_LIMIT, new FreeTurn()))
    case 'scan': {
      const left = new AbortController()
      leaving.set(request.id, left)
      const lease = database.lease()
      return inTurns(request.caller, turn => {
        const budget = new Budget(request.allowance, turn, left.signal)
        return (CALLS[request.name] as Call)(new CallDatabase(lease.database, budget), request.args, budget)
      }).finally(() => {
        lease.release()
        leaving.delete(request.id)
      })
    }
    case 'cancel':
      leaving.get(request.call)?.abort()
      return null
    case 'open':
      sinks.set(request.id, {
        sink: SINKS[request.name](database, request.args as never),
        queue: new SerialQueue(),
        failed: null,
      })
      return request.id
    case 'write': {
      const open = sinks.get(request.sink)
      return open?.queue.add(async () => {
        if (open.failed) throw open.failed
        await open.sink.write(request.chunk).catch(error => {
          open.failed = error
          throw error
        })
      })
    }
    case 'end': {
      const open = sinks.get(request.sink)
      sinks.delete(request.sink)
      return open?.queue.add(async () => {
        if (open.failed) throw open.failed
        return open.sink.end()
      })
    }
    case 'abandon':
      sinks.delete(request.sink)
      return null
    case 'ping':
      return database.get('SELECT 1 AS one')
    case 'close':
      await database[Symbol.asyncDispose]()
      return null
  }
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
  if (request.do === 'close') parentPort?.close()
  else if (busy === 0) idle = setTimeout(tidy, IDLE_MS).unref()
})
