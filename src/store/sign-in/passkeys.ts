import { CodedError } from '../../model/errors.ts'
import { noteEvent } from '../access/audit.ts'
import { PASSKEYS, USED_CHALLENGES } from '../access/tables.ts'
import type { Database, Queryable, Transaction } from '../engine/database.ts'
import { hashOf } from '../engine/identifiers.ts'
import { deleteRows, findRow, listRows } from '../engine/rows.ts'
import { columnsOf, type Row } from '../engine/table.ts'
import { type Arrival, openSession } from './sessions.ts'

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
