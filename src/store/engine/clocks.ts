/**
 * The clocks of servers that share a database differ by less than this, and so does a time that a request was given
 * before it waited for a lock. A stored time that is further ahead than its rule allows comes from a clock that was wrong.
 */
export const CLOCKS_DIFFER_MS = 60_000

export function later(now: string, ms: number): string {
  return new Date(Date.parse(now) + ms).toISOString()
}
