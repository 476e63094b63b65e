import type { Store } from '../store/store.ts'
import { CHANGES_TTL_DAYS } from './origin.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
const IDLE_CLIENT_DAYS = 30

/** Deletes what no reader can ask for any more. */
export async function tidy(store: Store, cursorTtlSeconds: number): Promise<void> {
  const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
  await store.writer.call('forgetTombstones', { owner_id: store.owner_id, before: daysAgo(CHANGES_TTL_DAYS) })
  await store.writer.call('forgetBrokenUploads', { owner_id: store.owner_id, before: daysAgo(1) })
  await forgetExpired(store, cursorTtlSeconds)
}

/** Deletes what has expired: authorizations, and the positions of page cursors. */
export async function forgetExpired(store: Store, cursorTtlSeconds: number): Promise<void> {
  const before = new Date(Date.now() - cursorTtlSeconds * 1_000 - HOUR_MS).toISOString()
  await store.ledger.positions.forget(store.owner_id, before)
  await forgetAuthorizations(store)
}

/**
 * Verifies the ledger once a day, so that the owner learns of tampering without asking. If the last time is in the
 * future, the clock was ahead then.
 */
export async function verifyDaily(store: Store, now: Date): Promise<void> {
  const last = await store.lastVerified()
  if (last && Math.abs(now.getTime() - Date.parse(last.at)) < DAY_MS) return
  await store.verifyLedger(now)
}

/** Deletes expired codes, tokens, sessions and links, and apps that registered and were never approved. */
async function forgetAuthorizations(store: Store): Promise<void> {
  const now = new Date()
  const idle = new Date(now.getTime() - IDLE_CLIENT_DAYS * DAY_MS).toISOString()
  await store.writer.call('forgetArtifacts', { owner_id: store.owner_id, now: now.toISOString(), idle })
}
