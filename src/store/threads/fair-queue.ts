import { CodedError } from '../../model/errors.ts'

export interface QueueLimits {
  /** Requests of one caller that run at the same time. */
  running: number
  /** Requests of one caller that may wait. */
  waiting: number
}

const RETRY_AFTER_S = 2

interface Line {
  running: number
  waiting: (() => void)[]
}

/**
 * A queue for each caller in front of work that may take long. Callers do not wait for each other here; the threads
 * share their time between them. So a caller with many requests only slows down itself.
 */
export class FairQueue {
  readonly #limits: QueueLimits
  readonly #lines = new Map<string, Line>()

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** Waits for a place, and returns a function that releases it. */
  async enter(caller: string, signal: AbortSignal): Promise<() => void> {
    const line = this.#lines.get(caller) ?? { running: 0, waiting: [] }
    this.#lines.set(caller, line)
    if (line.running < this.#limits.running) line.running++
    else {
      if (line.waiting.length >= this.#limits.waiting) throw tooMany()
      await waitIn(line, signal)
    }
    let left = false
    return () => {
      if (!left) this.#leave(caller, line)
      left = true
    }
  }

  /** Passes the place to the next in the queue, or frees it. */
  #leave(caller: string, line: Line): void {
    const next = line.waiting.shift()
    if (next) next()
    else if (--line.running === 0) this.#lines.delete(caller)
  }
}

function waitIn(line: Line, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      line.waiting.splice(line.waiting.indexOf(enter), 1)
      reject(tooMany())
    }
    const enter = () => {
      signal.removeEventListener('abort', leave)
      resolve()
    }
    line.waiting.push(enter)
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
