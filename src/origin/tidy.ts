import type { Store } from '../store/store.ts'
import { CHANGES_TTL_DAYS } from './environment.ts'

const DAY_MS = 24 * 60 * 60_000
const IDLE_CLIENT_DAYS = 30

/** Forgets what no reader can ask for any more. */
export async function tidy(store: Store): Promise<void> {
  const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
  await store.writer.call('forgetTombstones', { owner_id: store.owner_id, before: daysAgo(CHANGES_TTL_DAYS) })
  await store.writer.call('forgetBrokenUploads', { before: daysAgo(1) })
  await forgetAuthorizations(store)
}

/** Forgets codes, tokens, sessions and links that have expired, and apps that registered and were never let in. */
export async function forgetAuthorizations(store: Store): Promise<void> {
  const now = new Date()
  const idle = new Date(now.getTime() - IDLE_CLIENT_DAYS * DAY_MS).toISOString()
  await store.writer.call('forgetArtifacts', { owner_id: store.owner_id, now: now.toISOString(), idle })
}
