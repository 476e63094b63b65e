import { type Source, visibleFields } from '../../model/access/enforce.ts'
import type { ConversationPlace } from '../../model/declaration/conversation.ts'
import { type ConversationDeclaration, timeField } from '../../model/declaration/declaration.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import type { StoredRecord } from '../../model/reading/record.ts'
import type { Budget } from '../budget/budget.ts'
import type { Queryable, Value } from '../engine/database.ts'
import { COLUMNS, type RecordRow, recordOf, scopeOf } from './records.ts'

/** A conversation in the store: its key in one of two indexes, and the order keys that bound it. */
export interface ConversationKey {
  owner_id: string
  source: Source
  column: 'thread_key' | 'place_key'
  key: string
  /** At or after the first order key and before the second; null means no bound. */
  from: string | null
  to: string | null
}

export interface ConversationPosition {
  order_key: string
  record_key: string
}

/** Where a record is, from the columns that were filled when it was written. */
export async function placeOf(
  database: Queryable,
  owner_id: string,
  { connection_id, stream }: Source,
  record_id: string,
): Promise<ConversationPlace | undefined> {
  return database.get(
    `SELECT thread_key, place_key, order_key FROM records
     WHERE owner_id = ? AND connection_id = ? AND stream = ? AND record_key = ? AND deleted = 0`,
    [owner_id, connection_id, stream.name, recordKey(record_id)],
  )
}

/**
 * The conversation of a record: its thread, or else what was written in the same place in the minutes before and after.
 */
export function spanOf(
  { thread_key, place_key, order_key }: ConversationPlace,
  { around }: ConversationDeclaration,
): Pick<ConversationKey, 'column' | 'key' | 'from' | 'to'> | null {
  if (thread_key) return { column: 'thread_key', key: thread_key, from: null, to: null }
  const time = Date.parse((order_key ?? '').slice(1, 24).concat('Z'))
  if (!around || !place_key || !order_key?.startsWith('t') || Number.isNaN(time)) return null
  const bound = (minutes: number) => `t${new Date(time + minutes * 60_000).toISOString().slice(0, 23)}`
  return { column: 'place_key', key: place_key, from: bound(-around.minutes), to: bound(around.minutes) }
}

/**
 * Everything in the place of a record, without its minutes. A grant's bounds on the time bound the walk, so that it does
 * not read what is hidden before or after them.
 */
export function wholePlace(conversation: ConversationKey, order: readonly string[]): ConversationKey {
  if (conversation.column !== 'place_key') return conversation
  const { clauses, stream } = conversation.source
  const [clause] = clauses
  const isBounded = clause !== undefined && clauses.length === 1 && timeField(stream) === order[0]
  return { ...conversation, from: isBounded ? clause.since : null, to: isBounded ? clause.until : null }
}

export interface ConversationRow {
  record: StoredRecord
  position: ConversationPosition
}

const MOST_AT_ONCE = 200

/**
 * The visible records on one side of a position, nearest first. It reads along an index, and no more than needed; hidden
 * records may be in between.
 */
export async function* neighbours(
  database: Queryable,
  conversation: ConversationKey,
  side: 'before' | 'after',
  start: ConversationPosition,
  budget: Budget,
): AsyncGenerator<ConversationRow> {
  let position = start
  for (let limit = 16; ; limit = Math.min(MOST_AT_ONCE, limit * 2)) {
    await budget.pause()
    const { sql, params } = besideSql(conversation, side, position)
    const rows = await database.all<RecordRow>(`SELECT ${COLUMNS} ${sql}`, [...params, limit])
    for (const row of rows) {
      position = { order_key: row.order_key ?? '', record_key: row.record_key }
      const record = recordOf(row)
      if (visibleFields(conversation.source, record) !== undefined) yield { record, position }
    }
    if (rows.length < limit) return
  }
}

/** The records on one side of a position, nearest first. The caller adds the last parameter, the number of records. */
export function besideSql(
  { owner_id, source, column, key, from, to }: ConversationKey,
  side: 'before' | 'after',
  { order_key, record_key }: ConversationPosition,
): { sql: string; params: Value[] } {
  const [way, beyond] = side === 'after' ? ['ASC', '>'] : ['DESC', '<']
  const scope = scopeOf({ owner_id, conditions: new Map() }, source)
  const sql = [...scope.sql, `${column} = ?`, `(order_key, record_key) ${beyond} (?, ?)`]
  const params: Value[] = [...scope.params, key, order_key, record_key]
  if (from !== null && side === 'before') {
    sql.push('order_key >= ?')
    params.push(from)
  }
  if (to !== null && side === 'after') {
    sql.push('order_key < ?')
    params.push(to)
  }
  return {
    sql: `FROM records WHERE ${sql.join(' AND ')} ORDER BY order_key ${way}, record_key ${way} LIMIT ?`,
    params,
  }
}
