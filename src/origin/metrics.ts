import { createHash, timingSafeEqual } from 'node:crypto'
import { EXPOSITION, metrics } from '../api/discovery.ts'
import type { OriginPart } from '../api/route.ts'
import { CodedError } from '../model/errors.ts'
import { errorReply } from '../resource-server/request/responses.ts'
import { census } from '../store/records/tallies.ts'
import type { Store } from '../store/store.ts'
import type { Answered } from './dispatcher.ts'
import { packageVersion } from './package-version.ts'

type Labels = Readonly<Record<string, string | number>>

interface Sample {
  labels?: Labels
  /** The suffix of the family's name, for the parts of a histogram. */
  suffix?: '_bucket' | '_sum' | '_count'
  value: number
}

interface Family {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  samples: readonly Sample[]
}

/** Writes the Prometheus text format. */
export function exposition(families: readonly Family[]): string {
  const lines = families.flatMap(({ name, type, help, samples }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ labels = {}, suffix = '', value }) => `${name}${suffix}${written(labels)} ${value}`),
  ])
  return `${lines.join('\n')}\n`
}

function written(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
}

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Numbers by labels. */
class Counter {
  readonly #counts = new Map<string, { labels: Labels; value: number }>()

  add(labels: Labels): void {
    const key = Object.values(labels).join(' ')
    const known = this.#counts.get(key)
    if (known) known.value++
    else this.#counts.set(key, { labels, value: 1 })
  }

  get samples() {
    return [...this.#counts.values()]
  }
}

/** How many responses of a route took at most how long. */
class Durations {
  readonly #counts = BUCKETS_S.map(() => 0)
  #sum = 0
  #count = 0

  add(seconds: number): void {
    this.#sum += seconds
    this.#count++
    const first = BUCKETS_S.findIndex(bound => seconds <= bound)
    if (first !== -1) this.#counts[first] = (this.#counts[first] ?? 0) + 1
  }

  samples(labels: Labels): Family['samples'] {
    let below = 0
    return [
      ...BUCKETS_S.map((le, at) => {
        below += this.#counts[at] ?? 0
        return { suffix: '_bucket' as const, labels: { ...labels, le }, value: below }
      }),
      { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: this.#count },
      { suffix: '_sum', labels, value: this.#sum },
      { suffix: '_count', labels, value: this.#count },
    ]
  }
}

/** Counts the responses of this process. It receives only route patterns and codes, never the content of a request. */
export class Meter {
  readonly #requests = new Counter()
  readonly #refusals = new Counter()
  readonly #searches = { complete: 0, cut_short: 0 }
  readonly #durations = new Map<string, Durations>()

  readonly answered = ({ method, path, status, code, seconds, isFromNetwork }: Answered): void => {
    if (code && path.startsWith('/v1/')) this.#refusals.add({ code })
    if (!isFromNetwork) return
    this.#requests.add({ method, route: path, status })
    const known = this.#durations.get(path) ?? new Durations()
    this.#durations.set(path, known)
    known.add(seconds)
  }

  readonly searched = (isCutShort: boolean): void => {
    this.#searches[isCutShort ? 'cut_short' : 'complete']++
  }

  get families(): Family[] {
    const durations = [...this.#durations].flatMap(([route, each]) => each.samples({ route }))
    const refused =
      'Requests under /v1 that were refused, by error code; those of /mcp and of pages count too.'
    const searches = 'Searches, and how many of them were cut short by their budget.'
    return [
      counter('footnote_requests_total', 'Requests over HTTP, by route and status.', this.#requests.samples),
      {
        name: 'footnote_request_duration_seconds',
        type: 'histogram',
        help: 'Time until an answer begins, by route.',
        samples: durations,
      },
      counter('footnote_refusals_total', refused, this.#refusals.samples),
      counter('footnote_searches_total', searches, samplesBy('result', this.#searches)),
    ]
  }
}

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
  const up = Object.entries(parts).map(([part, state]) => [part, state === 'down' ? 0 : 1])
  const isUp = 'Whether a part of the server works: 1, or 0 when it is down.'
  const restarted = 'How often a thread stopped and was replaced.'
  const failed = 'Lines of the ledger that failed to be written.'
  return [
    gauge('footnote_part_up', isUp, samplesBy('part', Object.fromEntries(up))),
    counter('footnote_thread_restarts_total', restarted, samplesBy('thread', restarts)),
    counter('footnote_ledger_lines_total', 'Lines of the ledger that were written.', ledger.written),
    counter('footnote_ledger_failures_total', failed, ledger.failed),
    gauge('footnote_connections', 'Connections.', connections),
    gauge('footnote_records', 'Records that are not deleted.', records),
    gauge('footnote_imports', 'Imports, by state.', samplesBy('state', imports)),
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
    gauge('footnote_build_info', 'The version that runs.', samplesBy('version', { [packageVersion()]: 1 })),
  ]
}

function gauge(name: string, help: string, value: number | Family['samples']): Family {
  return { name, type: 'gauge', help, samples: typeof value === 'number' ? [{ value }] : value }
}

function counter(name: string, help: string, value: number | Family['samples']): Family {
  return { ...gauge(name, help, value), type: 'counter' }
}

function samplesBy(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }))
}
