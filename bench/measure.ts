import type { Exchange } from './client.ts'

/** Times in ascending order, with the mean size of the answers. */
export class Sample {
  readonly times: readonly number[]
  readonly bytes: number

  constructor(times: number[], bytes = 0) {
    this.times = times.sort((a, b) => a - b)
    this.bytes = bytes
  }

  at(share: number): number {
    return this.times[Math.min(this.times.length - 1, Math.floor(share * this.times.length))] ?? Number.NaN
  }

  get p50(): number {
    return this.at(0.5)
  }

  get p95(): number {
    return this.at(0.95)
  }
}

export type Work = () => Promise<Exchange>

const BLOCK_MS = 60
const LEAST_BLOCKS = 6
const SLOW_MS = 2_000
const SLOW_TIMES = 3

/**
 * Runs each work in blocks, taking turns, one request in flight. The first fifth of the time is warm-up and not counted.
 * A work that takes seconds is measured a few times only, beside the time that is given.
 */
export async function alternate<Name extends string>(
  works: Record<Name, Work>,
  seconds: number,
): Promise<Record<Name, Sample>> {
  const names = Object.keys(works) as Name[]
  const times = new Map(names.map(name => [name, [] as number[]]))
  const bytes = new Map(names.map(name => [name, 0]))
  const slow = new Set<Name>()
  const started = performance.now()
  let slowMs = 0
  const spent = () => performance.now() - started - slowMs
  let counted = 0
  for (let round = 0; counted < LEAST_BLOCKS || spent() < seconds * 1_200; round++) {
    const warm = round > 0 && spent() >= seconds * 200
    // The work that is first in one round is last in the next.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      if (slow.has(name) && (!warm || (times.get(name)?.length ?? 0) >= SLOW_TIMES)) continue
      const until = performance.now() + BLOCK_MS
      do {
        const exchange = await works[name]()
        if (exchange.ms > SLOW_MS) {
          slow.add(name)
          slowMs += exchange.ms
        }
        if (!warm) continue
        times.get(name)?.push(exchange.ms)
        bytes.set(name, (bytes.get(name) ?? 0) + exchange.body.length)
      } while (performance.now() < until)
    }
    if (warm) counted++
  }
  const samples = names.map(name => {
    const taken = times.get(name) ?? []
    return [name, new Sample(taken, Math.round((bytes.get(name) ?? 0) / taken.length))]
  })
  return Object.fromEntries(samples)
}

/** Responses per second with several requests in flight. */
export async function rate(work: Work, inFlight: number, ms: number): Promise<number> {
  const started = performance.now()
  let done = 0
  const loop = async () => {
    while (performance.now() - started < ms) {
      await work()
      done++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, loop))
  return (done * 1_000) / (performance.now() - started)
}

export function median(values: number[]): number {
  return new Sample([...values]).p50
}
