import { CodedError } from '../../model/errors.ts'

interface Bucket {
  tokens: number
  at: number
}

const MOST_BUCKETS = 10_000

/** A bucket for each caller: so many requests a second, with bursts. */
export class RateLimit {
  readonly #perSecond: number
  readonly #burst: number
  readonly #buckets = new Map<string, Bucket>()

  constructor({ perSecond, burst }: { perSecond: number; burst: number }) {
    this.#perSecond = perSecond
    this.#burst = burst
  }

  take(caller: string, now: Date): void {
    const at = now.getTime()
    const bucket = this.#buckets.get(caller) ?? { tokens: this.#burst, at }
    bucket.tokens = Math.min(this.#burst, bucket.tokens + ((at - bucket.at) / 1000) * this.#perSecond)
    bucket.at = at
    if (!this.#buckets.has(caller) && this.#buckets.size >= MOST_BUCKETS) this.#buckets.clear()
    this.#buckets.set(caller, bucket)
    if (bucket.tokens < 1) {
      const retry_after = Math.max(1, Math.ceil((1 - bucket.tokens) / this.#perSecond))
      throw new CodedError('rate_limit_exceeded', `Too many requests. Try again in ${retry_after} s.`, {
        retry_after,
      })
    }
    bucket.tokens -= 1
  }
}
