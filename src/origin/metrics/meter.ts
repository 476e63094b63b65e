import type { Answered } from '../dispatcher.ts'
import type { Family, Labels } from './exposition.ts'

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

  answered({ method, path, status, code, seconds, isFromNetwork }: Answered): void {
    if (code && path.startsWith('/v1/')) this.#refusals.add({ code })
    if (!isFromNetwork) return
    this.#requests.add({ method, route: path, status })
    const known = this.#durations.get(path) ?? new Durations()
    this.#durations.set(path, known)
    known.add(seconds)
  }

  searched(isCutShort: boolean): void {
    this.#searches[isCutShort ? 'cut_short' : 'complete']++
  }

  get families(): Family[] {
    return [
      {
        name: 'footnote_requests_total',
        type: 'counter',
        help: 'Requests over HTTP, by route and status.',
        samples: this.#requests.samples,
      },
      {
        name: 'footnote_request_duration_seconds',
        type: 'histogram',
        help: 'Time until an answer begins, by route.',
        samples: [...this.#durations].flatMap(([route, durations]) => durations.samples({ route })),
      },
      {
        name: 'footnote_refusals_total',
        type: 'counter',
        help: 'Requests under /v1 that were refused, by error code; those of /mcp and of pages count too.',
        samples: this.#refusals.samples,
      },
      {
        name: 'footnote_searches_total',
        type: 'counter',
        help: 'Searches, and how many of them were cut short by their budget.',
        samples: Object.entries(this.#searches).map(([result, value]) => ({ labels: { result }, value })),
      },
    ]
  }
}
