import { randomBytes } from 'node:crypto'
import { noteEvent } from '../access/audit.ts'
import { OWNER_SESSIONS, SIGN_IN_LINKS } from '../access/tables.ts'
import { later } from '../engine/clocks.ts'
import type { Database, Queryable, Transaction, Writable } from '../engine/database.ts'
import { hashOf } from '../engine/identifiers.ts'
import { changeRows, deleteRows, findRow } from '../engine/rows.ts'

export const SESSION_DAYS = 14
/** The last-seen time of a session is updated at most this often, so that few page views write. */
const SEEN_EVERY_MS = 10 * 60_000

/** A random value that cannot be guessed, for a cookie or a link. */
export function secret(): string {
  return randomBytes(32).toString('base64url')
}

/** Where a sign-in comes from. */
export interface Arrival {
  owner_id: string
  /** The browser in a few words; null if it does not identify itself. */
  browser: string | null
  now: string
}

export async function openSession(
  transaction: Transaction,
  { owner_id, browser, how, now }: Arrival & { how: 'link' | 'passphrase' | 'passkey' },
): Promise<string> {
  const session = secret()
  const expires_at = later(now, SESSION_DAYS * 86_400_000)
  const session_hash = hashOf(session)
  await transaction.insert(OWNER_SESSIONS, [
    { owner_id, session_hash, created_at: now, expires_at, browser, seen_at: now },
  ])
  await noteEvent(transaction, owner_id, { at: now, event: 'signed_in', actor: 'owner', detail: how })
  return session
}

/** Whether a session is open, and whether its last-seen time should be updated. */
export async function readSession(
  database: Queryable,
  { owner_id, session, now }: { owner_id: string; session: string; now: string },
): Promise<{ unnoted: boolean } | null> {
  const named = { owner_id, session_hash: hashOf(session) }
  const row = await findRow(database, OWNER_SESSIONS, ['expires_at', 'seen_at'], named)
  if (row === undefined || row.expires_at <= now) return null
  return { unnoted: row.seen_at === null || later(row.seen_at, SEEN_EVERY_MS) <= now }
}

export async function noteSessionSeen(
  database: Writable,
  { owner_id, session, now }: { owner_id: string; session: string; now: string },
): Promise<void> {
  await changeRows(database, OWNER_SESSIONS, { seen_at: now }, { owner_id, session_hash: hashOf(session) })
}

export interface ListedSession {
  /** Identifies the session but gives no access: it is the hash of its secret. */
  session_hash: string
  browser: string | null
  created_at: string
  seen_at: string | null
  expires_at: string
  current: boolean
}

/** The open sessions: the current one, then the most recently seen. */
export async function listSessions(
  database: Queryable,
  args: { owner_id: string; session: string; now: string },
): Promise<ListedSession[]> {
  const own = hashOf(args.session)
  const rows = await database.all<Omit<ListedSession, 'current'>>(
    `SELECT session_hash, browser, created_at, seen_at, expires_at FROM owner_sessions
     WHERE owner_id = ? AND expires_at > ?
     ORDER BY CASE WHEN session_hash = ? THEN 0 ELSE 1 END, coalesce(seen_at, created_at) DESC, session_hash`,
    [args.owner_id, args.now, own],
  )
  return rows.map(row => ({ ...row, current: row.session_hash === own }))
}

/** Which sessions to end: one, the current one, all others, or all, together with unused links. */
export type Ended = { session_hash: string } | 'own' | 'others' | 'everywhere'

export async function endSessions(
  database: Database,
  args: { owner_id: string; session: string; ended: Ended; now: string },
): Promise<void> {
  const { owner_id, ended, now } = args
  const own = hashOf(args.session)
  const one = ended === 'own' ? own : typeof ended === 'object' ? ended.session_hash : null
  await database.transaction(async transaction => {
    if (one !== null) {
      if ((await deleteRows(transaction, OWNER_SESSIONS, { owner_id, session_hash: one })) === 0) return
    } else if (ended === 'others') await endOtherSessions(transaction, owner_id, own)
    else {
      await deleteRows(transaction, OWNER_SESSIONS, { owner_id })
      await deleteRows(transaction, SIGN_IN_LINKS, { owner_id })
    }
    const event = one === own ? 'signed_out' : EVENTS[typeof ended === 'object' ? 'one' : ended]
    await noteEvent(transaction, owner_id, { at: now, event, actor: 'owner' })
  })
}

const EVENTS = {
  own: 'signed_out',
  one: 'session_ended',
  others: 'other_sessions_ended',
  everywhere: 'signed_out_everywhere',
} as const

export async function endOtherSessions(
  transaction: Transaction,
  owner_id: string,
  keptHash: string,
): Promise<void> {
  await transaction.run('DELETE FROM owner_sessions WHERE owner_id = ? AND session_hash <> ?', [
    owner_id,
    keptHash,
  ])
}
