import { CodedError } from '../../model/errors.ts'
import { noteEvent } from '../access/audit.ts'
import { PASSKEYS, PASSPHRASES, SIGN_IN_FAILURES, SIGN_IN_LINKS, USED_CHALLENGES } from '../access/tables.ts'
import { CLOCKS_DIFFER_MS, later } from '../engine/clocks.ts'
import type { Database, Queryable, Transaction, Writable } from '../engine/database.ts'
import { hashOf } from '../engine/identifiers.ts'
import { changeRows, deleteRows, findRow, listRows } from '../engine/rows.ts'
import { columnsOf, type Row } from '../engine/table.ts'
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
        { retry_after },
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

/** More passkeys than anyone has devices. */
const MOST_PASSKEYS = 20

export type StoredPasskey = Row<typeof PASSKEYS>

/** A challenge that was answered, and when it expires. */
export interface AnsweredChallenge {
  challenge: string
  expires_at: string
}

/** The passkeys, oldest first. */
export function listPasskeys(database: Queryable, owner_id: string): Promise<StoredPasskey[]> {
  return listRows(database, PASSKEYS, columnsOf(PASSKEYS), { owner_id }, ['created_at', 'credential_id'])
}

/** Stores a passkey; false if its challenge was already answered or the passkey exists. */
export async function addPasskey(
  database: Database,
  args: Pick<StoredPasskey, 'owner_id' | 'credential_id' | 'rp_id' | 'public_key' | 'counter' | 'name'> &
    AnsweredChallenge & { now: string },
): Promise<boolean> {
  const { challenge, expires_at, now, ...passkey } = args
  const { owner_id, name } = passkey
  return database.transaction(async transaction => {
    if (!(await useChallenge(transaction, owner_id, { challenge, expires_at }))) return false
    if ((await listPasskeys(transaction, owner_id)).length >= MOST_PASSKEYS) {
      const message = `There are ${MOST_PASSKEYS} passkeys. Remove one before you add another.`
      throw new CodedError('invalid_request', message)
    }
    if ((await transaction.insertNew(PASSKEYS, [{ ...passkey, created_at: now }])) === 0) return false
    await noteEvent(transaction, owner_id, { at: now, event: 'passkey_added', actor: 'owner', detail: name })
    return true
  })
}

/** Starts a session for a passkey whose answer was verified; null if that answer or its counter is not new. */
export async function signInByPasskey(
  database: Database,
  args: Arrival & AnsweredChallenge & { credential_id: string; counter: number },
): Promise<string | null> {
  const { challenge, expires_at, credential_id, counter, ...arrival } = args
  const { owner_id, now } = arrival
  return database.transaction(async transaction => {
    if (!(await useChallenge(transaction, owner_id, { challenge, expires_at }))) return null
    // A passkey with a counter always increases it. A passkey that is synced between devices has no counter.
    const known = await transaction.run(
      `UPDATE passkeys SET counter = ?, used_at = ? WHERE owner_id = ? AND credential_id = ?
       AND (counter < ? OR (counter = 0 AND ? = 0))`,
      [counter, now, owner_id, credential_id, counter, counter],
    )
    return known === 0 ? null : openSession(transaction, { ...arrival, how: 'passkey' })
  })
}

export async function removePasskey(
  database: Database,
  args: { owner_id: string; credential_id: string; now: string },
): Promise<void> {
  const { owner_id, credential_id, now } = args
  await database.transaction(async transaction => {
    const passkey = { owner_id, credential_id }
    const found = await findRow(transaction, PASSKEYS, ['name'], passkey)
    if (!found || (await deleteRows(transaction, PASSKEYS, passkey)) === 0) return
    const event = { at: now, event: 'passkey_removed', actor: 'owner', detail: found.name } as const
    await noteEvent(transaction, owner_id, event)
  })
}

async function useChallenge(
  transaction: Transaction,
  owner_id: string,
  { challenge, expires_at }: AnsweredChallenge,
): Promise<boolean> {
  const used = { owner_id, challenge_hash: hashOf(challenge), expires_at }
  return (await transaction.insertNew(USED_CHALLENGES, [used])) === 1
}
