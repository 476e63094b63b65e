import { CodedError } from '../../model/errors.ts'
import { noteEvent } from '../access/audit.ts'
import { PASSPHRASES, SIGN_IN_FAILURES, SIGN_IN_LINKS } from '../access/tables.ts'
import { CLOCKS_DIFFER_MS, later } from '../engine/clocks.ts'
import type { Database, Queryable, Writable } from '../engine/database.ts'
import { hashOf } from '../engine/identifiers.ts'
import { changeRows, deleteRows, findRow } from '../engine/rows.ts'
import type { Row } from '../engine/table.ts'
import { type Arrival, endOtherSessions, openSession, secret } from './sessions.ts'

const LINK_MINUTES = 30
/** Wrong passphrases in a row that are allowed without a wait; each further one doubles the wait. */
const FREE_FAILURES = 5
const FIRST_WAIT_S = 30
const LONGEST_WAIT_S = 3_600

/** Creates a secret that signs the owner in once. */
export async function createSignInLink(
  database: Writable,
  args: { owner_id: string; now: string },
): Promise<string> {
  const link = secret()
  const { owner_id, now } = args
  const expires_at = later(now, LINK_MINUTES * 60_000)
  await database.insert(SIGN_IN_LINKS, [{ owner_id, link_hash: hashOf(link), created_at: now, expires_at }])
  return link
}

/** Uses up a link and starts a session; null if the link is unknown, used or expired. */
export async function signInByLink(
  database: Database,
  args: Arrival & { link: string },
): Promise<string | null> {
  const { link, ...arrival } = args
  const { owner_id, now } = arrival
  return database.transaction(async transaction => {
    const used = await transaction.run(
      'DELETE FROM sign_in_links WHERE owner_id = ? AND link_hash = ? AND expires_at > ?',
      [owner_id, hashOf(link), now],
    )
    if (used === 0) return null
    return openSession(transaction, { ...arrival, how: 'link' })
  })
}

export type StoredPassphrase = Pick<Row<typeof PASSPHRASES>, 'salt' | 'hash'>

/**
 * Counts an attempt before it is checked, so that simultaneous attempts count too, and returns what to compare with. A
 * success resets the count.
 */
export async function beginPassphraseAttempt(
  database: Database,
  args: { owner_id: string; now: string },
): Promise<StoredPassphrase | null> {
  const { owner_id, now } = args
  return database.transaction(async transaction => {
    // The row is created first, so that its lock orders attempts on every engine.
    await transaction.insertNew(SIGN_IN_FAILURES, [{ owner_id, failures: 0 }])
    await transaction.run('UPDATE sign_in_failures SET failures = failures WHERE owner_id = ?', [owner_id])
    const row = await findRow(transaction, SIGN_IN_FAILURES, ['failures', 'blocked_until'], { owner_id })
    const blocked = Date.parse(row?.blocked_until ?? '') - Date.parse(now)
    // A much longer wait was set by a clock that was wrong.
    if (blocked > 0 && blocked <= LONGEST_WAIT_S * 1000 + CLOCKS_DIFFER_MS) {
      const retry_after = Math.ceil(blocked / 1000)
      throw new CodedError(
        'rate_limit_exceeded',
        `Too many wrong passphrases. Try again in ${retry_after} s.`,
        {
          retry_after,
        },
      )
    }
    const failures = (row?.failures ?? 0) + 1
    const wait = Math.min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (failures - FREE_FAILURES))
    const blocked_until = failures >= FREE_FAILURES ? later(now, wait * 1000) : null
    await changeRows(transaction, SIGN_IN_FAILURES, { failures, blocked_until }, { owner_id })
    if (blocked_until !== null) {
      const detail = `${failures} wrong passphrases in a row`
      await noteEvent(transaction, owner_id, { at: now, event: 'sign_in_blocked', actor: 'server', detail })
    }
    return readPassphrase(transaction, owner_id)
  })
}

export async function readPassphrase(
  database: Queryable,
  owner_id: string,
): Promise<StoredPassphrase | null> {
  return (await findRow(database, PASSPHRASES, ['salt', 'hash'], { owner_id })) ?? null
}

/** Starts a session for an owner who has just given the right passphrase. */
export async function signInByPassphrase(database: Database, args: Arrival): Promise<string> {
  return database.transaction(async transaction => {
    await deleteRows(transaction, SIGN_IN_FAILURES, { owner_id: args.owner_id })
    return openSession(transaction, { ...args, how: 'passphrase' })
  })
}

/** Sets the passphrase and ends every session except the one it was set in. */
export async function setPassphrase(
  database: Database,
  args: { owner_id: string; salt: string; hash: string; keep: string; now: string },
): Promise<void> {
  const { owner_id, salt, hash, keep, now } = args
  await database.transaction(async transaction => {
    await transaction.upsert(PASSPHRASES, [{ owner_id, salt, hash, changed_at: now }])
    await endOtherSessions(transaction, owner_id, hashOf(keep))
    await deleteRows(transaction, SIGN_IN_FAILURES, { owner_id })
    await noteEvent(transaction, owner_id, { at: now, event: 'passphrase_set', actor: 'owner' })
  })
}

/** Whether the owner has a passphrase or an open session. */
export async function hasSignedIn(
  database: Queryable,
  args: { owner_id: string; now: string },
): Promise<boolean> {
  if (await readPassphrase(database, args.owner_id)) return true
  const session = await database.get<{ expires_at: string }>(
    'SELECT expires_at FROM owner_sessions WHERE owner_id = ? AND expires_at > ? LIMIT 1',
    [args.owner_id, args.now],
  )
  return session !== undefined
}
