import type { NodeExchange, OriginRoute } from '../api/route.ts'
import { CodedError } from '../model/errors.ts'
import { RecentlyUsed } from '../model/recently-used.ts'
import type { Spent } from '../store/access/limit-usage.ts'

export interface Rate {
  perSecond: number
  burst: number
}

/**
 * Reports to other servers what callers have used, and returns until when each has used up its share, in microseconds.
 * None can have used it up for longer than `most` from now.
 */
export type Share = (
  spent: readonly Spent[],
  now: number,
  most: number,
) => Promise<Readonly<Record<string, number>>>

const MOST_CALLERS = 10_000
const MOST_TOLD = 1_000
/** Several servers may each have allowed a whole burst before they told each other. */
const MOST_BURSTS = 10
/** A clock that goes back further than this was set. */
const SET_BACK_US = 1_000_000

/**
 * Allows a number of requests per second for each caller, with bursts. A caller is stored as one number: the time at
 * which everything it has used will be available again. Several servers share these numbers: each reports what was used
 * after every tenth of a burst, so together they allow at most a few requests more.
 */
export class RateLimit {
  readonly #name: string
  readonly #interval: number
  readonly #burst: number
  readonly #share: Share | null
  readonly #usedUntil = new RecentlyUsed<number>(MOST_CALLERS)
  readonly #untold = new Map<string, Omit<Spent, 'key'>>()
  #telling: Promise<void> | null = null
  #latest = 0

  constructor(name: string, { perSecond, burst }: Rate, share: Share | null = null) {
    this.#name = name
    this.#interval = Math.max(1, Math.round(1_000_000 / perSecond))
    this.#burst = burst * this.#interval
    this.#share = share
  }

  take(caller: string, now: Date): void {
    const at = now.getTime() * 1_000
    // What was used by a clock that was ahead would be available again only when that time comes.
    if (at < this.#latest - SET_BACK_US) this.#forget()
    this.#latest = at
    const until = Math.max(this.#usedUntil.known(caller) ?? 0, at) + this.#interval
    const excess = until - at - this.#burst
    this.#usedUntil.set(caller, excess > 0 ? until - this.#interval : until)
    if (excess > 0) {
      const retry_after = Math.max(1, Math.ceil(excess / 1_000_000))
      throw new CodedError('rate_limit_exceeded', `Too many requests. Try again in ${retry_after} s.`, {
        retry_after,
      })
    }
    if (this.#share) this.#note(caller, at)
  }

  /** Resolves when everything that was used has been reported. */
  async settle(): Promise<void> {
    await this.#telling
  }

  #forget(): void {
    this.#usedUntil.clear()
    this.#untold.clear()
  }

  #note(caller: string, at: number): void {
    const { amount, since } = this.#untold.get(caller) ?? { amount: 0, since: at }
    this.#untold.set(caller, { amount: amount + this.#interval, since })
    if (this.#isDue(caller)) this.#telling ??= this.#tell(at)
  }

  #isDue(caller: string): boolean {
    const { amount = 0 } = this.#untold.get(caller) ?? {}
    return amount * 10 >= this.#burst || this.#untold.size >= MOST_TOLD
  }

  async #tell(at: number): Promise<void> {
    try {
      for (let due = true; due; due = [...this.#untold.keys()].some(caller => this.#isDue(caller))) {
        const told = [...this.#untold]
        this.#untold.clear()
        const known = await this.#share?.(
          told.map(([caller, untold]) => ({ key: this.#keyOf(caller), ...untold })),
          at,
          MOST_BURSTS * this.#burst,
        )
        for (const [caller] of told) {
          const until = (known?.[this.#keyOf(caller)] ?? 0) + (this.#untold.get(caller)?.amount ?? 0)
          if (until > (this.#usedUntil.known(caller) ?? 0)) this.#usedUntil.set(caller, until)
        }
      }
    } catch {
      // Requests that need the database report it if it cannot be written; meanwhile this server counts by itself.
    } finally {
      this.#telling = null
    }
  }

  #keyOf(caller: string): string {
    return `${this.#name} ${caller}`
  }
}

/** Routes that anyone may call, with or without a token. */
const OPEN: readonly OriginRoute['access'][] = ['public', 'provider', 'session']

/**
 * Limits requests without a token: per caller's address and, with ten times that limit, in total. A request that stores
 * something counts twenty times.
 */
export class Door {
  readonly #asked: RateLimit
  readonly #kept: RateLimit
  readonly #allAsked: RateLimit
  readonly #allKept: RateLimit
  readonly #clock: () => Date

  constructor(perSecond: number, share: Share | null, clock: () => Date) {
    this.#clock = clock
    const asked = { perSecond, burst: perSecond * 10 }
    const kept = { perSecond: perSecond / 20, burst: perSecond * 3 }
    const tenfold = (rate: typeof asked) => ({ perSecond: rate.perSecond * 10, burst: rate.burst * 10 })
    this.#asked = new RateLimit('asked', asked, share)
    this.#kept = new RateLimit('kept', kept, share)
    this.#allAsked = new RateLimit('all asked', tenfold(asked), share)
    this.#allKept = new RateLimit('all kept', tenfold(kept), share)
  }

  /** Throws if this caller, or all callers together, have sent too many requests. */
  admit(route: Pick<OriginRoute, 'access' | 'keeps'>, { caller }: Pick<NodeExchange, 'caller'>): void {
    if (!OPEN.includes(route.access)) return
    const now = this.#clock()
    this.#asked.take(caller, now)
    if (route.keeps) this.#kept.take(caller, now)
    this.#allAsked.take('', now)
    if (route.keeps) this.#allKept.take('', now)
  }
}
