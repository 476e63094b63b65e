import { CodedError } from '../../model/errors.ts'

/** Requests of one caller that may wait while another of its requests runs. */
const MOST_WAITING = 32
const RETRY_AFTER_S = 2

/**
 * A queue for each caller in front of work that may take long: a second request of the same caller would take processor
 * time from others. Callers do not wait for each other here; the threads share their time between them. So a caller with
 * many requests only slows down itself.
 */
export class FairQueue {
  /** Those who wait for the running request of a caller. */
  readonly #waiting = new Map<string, (() => void)[]>()

  /** Waits for a place, and returns a function that releases it. */
  async enter(caller: string, signal: AbortSignal): Promise<() => void> {
    const waiting = this.#waiting.get(caller)
    if (!waiting) this.#waiting.set(caller, [])
    else if (waiting.length >= MOST_WAITING) throw tooMany()
    else await waitIn(waiting, signal)
    let left = false
    return () => {
      if (!left) this.#leave(caller)
      left = true
    }
  }

  /** Passes the place to the next in the queue, or frees it. */
  #leave(caller: string): void {
    const next = this.#waiting.get(caller)?.shift()
    if (next) next()
    else this.#waiting.delete(caller)
  }
}

function waitIn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.splice(waiting.indexOf(enter), 1)
      reject(tooMany())
    }
    const enter = () => {
      signal.removeEventListener('abort', leave)
      resolve()
    }
    waiting.push(enter)
    signal.addEventListener('abort', leave, { once: true })
  })
}

function tooMany(): CodedError {
  return new CodedError(
    'rate_limit_exceeded',
    `Too many searches and counts of this client are waiting. Try again in ${RETRY_AFTER_S} s.`,
    { retry_after: RETRY_AFTER_S },
  )
}
