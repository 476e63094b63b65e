const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const MOST_DOUBLINGS = 10

/**
 * When a sync runs next; null if it only runs on request. Each failure in a row doubles the wait, up to a day, so that
 * a wrong password is not tried until the account is locked.
 */
export function nextSyncRun(ended_at: string, every_minutes: number, failures: number): string | null {
  if (every_minutes === 0) return null
  const usual = every_minutes * MINUTE_MS
  const wait = Math.max(usual, Math.min(DAY_MS, usual * 2 ** Math.min(failures, MOST_DOUBLINGS)))
  return new Date(Date.parse(ended_at) + wait).toISOString()
}
