import { conditionsOf } from '../engine/composed-sql.ts'
import type { Queryable, Writable } from '../engine/database.ts'
import { timeOrderedId } from '../engine/identifiers.ts'
import { AUDIT_EVENTS } from './tables.ts'

/** Every kind of event that is recorded about grants, sign-ins and settings. */
export type AuditEventName =
  | 'grant_made'
  | 'grant_revoked'
  | 'grant_consumed'
  | 'consent_denied'
  | 'refresh_reuse_detected'
  | 'signed_in'
  | 'sign_in_blocked'
  | 'passphrase_set'
  | 'passkey_added'
  | 'passkey_removed'
  | 'signed_out'
  | 'session_ended'
  | 'other_sessions_ended'
  | 'signed_out_everywhere'
  | 'setting_changed'

export interface AuditEvent {
  at: string
  event: AuditEventName
  /** Who did it. The server acts by itself when it detects a stolen token. */
  actor: 'owner' | 'client' | 'server'
  client_id?: string | null
  grant_id?: string | null
  detail?: string | null
}

export async function noteEvent(database: Writable, owner_id: string, event: AuditEvent): Promise<void> {
  await database.insert(AUDIT_EVENTS, [{ ...event, owner_id, event_id: timeOrderedId(new Date(event.at)) }])
}

export interface AuditQuery {
  owner_id: string
  grant_id: string | null
  /** Continues after this event; newest first. */
  after: string | null
  limit: number
}

export async function listEvents(
  database: Queryable,
  query: AuditQuery,
): Promise<(Required<AuditEvent> & { event_id: string })[]> {
  const { sql, params } = conditionsOf([
    ['owner_id = ?', query.owner_id],
    ['event_id < ?', query.after],
    ['grant_id = ?', query.grant_id],
  ])
  return database.all(
    `SELECT event_id, at, event, actor, client_id, grant_id, detail FROM audit_events
     WHERE ${sql} ORDER BY event_id DESC LIMIT ?`,
    [...params, query.limit],
  )
}
