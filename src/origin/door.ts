import type { OriginRoute } from '../api/origin-route.ts'
import { RateLimit, type Share } from './rate-limit.ts'

/** A route that anyone may call, whether or not they are known. */
const OPEN: readonly OriginRoute['access'][] = ['public', 'provider', 'session']

/**
 * Limits what can be asked without a token: by the caller's address and, ten times as much, in total. A request that
 * leaves something behind counts twenty times.
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

  /** Throws when this caller, or all together, have asked too much. */
  admit(route: Pick<OriginRoute, 'access' | 'keeps'>, caller: string, now: Date): void {
    if (!OPEN.includes(route.access)) return
    this.#asked.take(caller, now)
    if (route.keeps) this.#kept.take(caller, now)
    this.#allAsked.take('', now)
    if (route.keeps) this.#allKept.take('', now)
  }
}
