import type { NodeExchange, OriginRoute } from '../api/origin-route.ts'
import { RateLimit, type Share } from './rate-limit.ts'

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

  constructor(perSecond: number, share: Share | null) {
    const asked = { perSecond, burst: perSecond * 10 }
    const kept = { perSecond: perSecond / 20, burst: perSecond * 3 }
    const tenfold = (rate: typeof asked) => ({ perSecond: rate.perSecond * 10, burst: rate.burst * 10 })
    this.#asked = new RateLimit('asked', asked, share)
    this.#kept = new RateLimit('kept', kept, share)
    this.#allAsked = new RateLimit('all asked', tenfold(asked), share)
    this.#allKept = new RateLimit('all kept', tenfold(kept), share)
  }

  /** Throws if this caller, or all callers together, have sent too many requests. */
  admit(route: Pick<OriginRoute, 'access' | 'keeps'>, from: Pick<NodeExchange, 'caller'>, now: Date): void {
    if (!OPEN.includes(route.access)) return
    const { caller } = from
    this.#asked.take(caller, now)
    if (route.keeps) this.#kept.take(caller, now)
    this.#allAsked.take('', now)
    if (route.keeps) this.#allKept.take('', now)
  }
}
