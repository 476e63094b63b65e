import { createHash, timingSafeEqual } from 'node:crypto'
import { EXPOSITION, metrics } from '../../api/discovery.ts'
import type { OriginPart } from '../../api/origin-route.ts'
import { CodedError } from '../../model/errors.ts'
import { errorReply } from '../../resource-server/request/responses.ts'
import { census } from '../../store/records/census.ts'
import type { Store } from '../../store/store.ts'
import { packageVersion } from '../package-version.ts'
import { exposition, type Family } from './exposition.ts'
import type { Meter } from './meter.ts'

/**
 * `/metrics`: figures about the server and its data, for callers with the token. If no token is set, the route does not
 * exist.
 */
export function metricsPart(
  { store, publicUrl }: { store: Store; publicUrl: string },
  meter: Meter,
  token: string | null,
): OriginPart {
  return {
    routes: [
      {
        method: metrics.method,
        path: metrics.path,
        access: metrics.access,
        async handle(request) {
          if (token === null || !carries(request, token))
            throw new CodedError('not_found', 'There is nothing at this address.')
          const families = [...meter.families, ...(await familiesOf(store)), ...processFamilies()]
          return new Response(exposition(families), {
            headers: { 'Content-Type': EXPOSITION, 'Cache-Control': 'no-store' },
          })
        },
      },
    ],
    refuse(error, request, { request_id }) {
      const { status, headers, body } = errorReply(error, { request, request_id, publicUrl })
      return new Response(body, { status, headers })
    },
  }
}

function carries({ headers }: Request, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(headers.get('Authorization') ?? ''), digest(`Bearer ${token}`))
}

async function familiesOf(store: Store): Promise<Family[]> {
  const { owner_id, database, ledger, restarts } = store
  const [{ parts }, { connections, records, imports }] = await Promise.all([
    store.health(),
    census(database, owner_id),
  ])
  return [
    {
      name: 'footnote_part_up',
      type: 'gauge',
      help: 'Whether a part of the server works: 1, or 0 when it is down.',
      samples: Object.entries(parts).map(([part, state]) => ({
        labels: { part },
        value: state === 'down' ? 0 : 1,
      })),
    },
    {
      name: 'footnote_thread_restarts_total',
      type: 'counter',
      help: 'How often a thread stopped and was replaced.',
      samples: Object.entries(restarts).map(([thread, value]) => ({ labels: { thread }, value })),
    },
    counter('footnote_ledger_lines_total', 'Lines of the ledger that were written.', ledger.written),
    counter(
      'footnote_ledger_failures_total',
      'Lines of the ledger that failed to be written.',
      ledger.failed,
    ),
    gauge('footnote_connections', 'Connections.', connections),
    gauge('footnote_records', 'Records that are not deleted.', records),
    {
      name: 'footnote_imports',
      type: 'gauge',
      help: 'Imports, by state.',
      samples: Object.entries(imports).map(([state, value]) => ({ labels: { state }, value })),
    },
  ]
}

function processFamilies(): Family[] {
  const { rss, heapUsed, external } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  return [
    gauge('process_resident_memory_bytes', 'Memory of the process, its threads included.', rss),
    gauge('nodejs_heap_size_used_bytes', 'Heap of the main thread.', heapUsed),
    gauge('nodejs_external_memory_bytes', 'Memory outside of the heap of the main thread.', external),
    counter('process_cpu_seconds_total', 'Processor time of the process.', (user + system) / 1e6),
    gauge('process_start_time_seconds', 'When the process started.', performance.timeOrigin / 1_000),
    {
      name: 'footnote_build_info',
      type: 'gauge',
      help: 'The version that runs.',
      samples: [{ labels: { version: packageVersion() }, value: 1 }],
    },
  ]
}

function gauge(name: string, help: string, value: number): Family {
  return { name, type: 'gauge', help, samples: [{ value }] }
}

function counter(name: string, help: string, value: number): Family {
  return { name, type: 'counter', help, samples: [{ value }] }
}
