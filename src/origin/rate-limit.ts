import { CodedError } from '../model/errors.ts'

export interface Rate {
  perSecond: number
  burst: number
}

/** Tells other servers what callers have used, and returns until when each has used its share (in microseconds). */
export type Share = (
  spent: readonly { key: string; amount: number }[],
  now: number,
) => Promise<Readonly<Record<string, number>>>

const MOST_CALLERS = 10_000
const MOST_TOLD = 1_000

/**
 * So many requests a second for each caller, with bursts. A caller is one number: the time at which all that it has used
 * would be earned back. Several servers share these numbers: each tells what was used at it after every tenth of a
 * burst, so together they let through a few more at most.
 */
export class RateLimit {
  readonly #name: string
  readonly #interval: number
  readonly #burst: number
  readonly #share: Share | null
  /** Callers in the order of their last request. */
  readonly #usedUntil = new Map<string, number>()
  readonly #untold = new Map<string, number>()
  #telling: Promise<void> | null = null

  constructor(name: string, { perSecond, burst }: Rate, share: Share | null = null) {
    this.#name = name
    this.#interval = Math.max(1, Math.round(1_000_000 / perSecond))
    this.#burst = burst * this.#interval
    this.#share = share
  }

  take(caller: string, now: Date): void {
    const at = now.getTime() * 1_000
    const until = Math.max(this.#usedUntil.get(caller) ?? 0, at) + this.#interval
    const excess = until - at - this.#burst
    this.#remember(caller, excess > 0 ? until - this.#interval : until)
    if (excess > 0) {
      const retry_after = Math.max(1, Math.ceil(excess / 1_000_000))
      throw new CodedError('rate_limit_exceeded', `Too many requests. Try again in ${retry_after} s.`, {
        retry_after,
      })
    }
    if (this.#share) this.#note(caller, at)
  }

  /** Ends when everything that was used is told. */
  async settle(): Promise<void> {
    await this.#telling
  }

  #remember(caller: string, until: number): void {
    this.#usedUntil.delete(caller)
    this.#usedUntil.set(caller, until)
    const [oldest] = this.#usedUntil.keys()
    if (this.#usedUntil.size > MOST_CALLERS && oldest !== undefined) this.#usedUntil.delete(oldest)
  }

  #note(caller: string, at: number): void {
    const amount = (this.#untold.get(caller) ?? 0) + this.#interval
    this.#untold.set(caller, amount)
    if (amount * 10 >= this.#burst || this.#untold.size >= MOST_TOLD) this.#telling ??= this.#tell(at)
  }

  async #tell(at: number): Promise<void> {
    const spent = [...this.#untold].map(([caller, amount]) => ({ key: this.#keyOf(caller), amount, caller }))
    this.#untold.clear()
    try {
      const known = await this.#share?.(spent, at)
      for (const { key, caller } of spent) {
        const until = (known?.[key] ?? 0) + (this.#untold.get(caller) ?? 0)
        if (until > (this.#usedUntil.get(caller) ?? 0)) this.#usedUntil.set(caller, until)
      }
    } catch {
      // A database that cannot be written is reported by the requests that need it; this server counts by itself meanwhile.
    } finally {
      this.#telling = null
    }
  }

  #keyOf(caller: string): string {
    return `${this.#name} ${caller}`
  }
}
