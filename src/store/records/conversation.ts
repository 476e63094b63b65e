import { type Source, visibleFields } from '../../model/access/enforce.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import type { StoredRecord } from '../../model/reading/record.ts'
import type { Queryable, Value } from '../engine/database.ts'
import { COLUMNS, type RecordRow, recordOf, scopeOf } from './records.ts'

/** A conversation in the store: its key in one of two indexes, and the order keys that bound it. */
export interface ConversationKey {
  owner_id: string
  source: Source
  column: 'thread_key' | 'place_key'
  key: string
  /** From this order key on, and before that; null is no bound. */
  from: string | null
  to: string | null
}

export interface ConversationPosition {
  order_key: string
  record_key: string
}

/** Where a record is, by the columns that were filled when it was written. */
export async function placeOf(
  database: Queryable,
  owner_id: string,
  { connection_id, stream }: Source,
  record_id: string,
): Promise<{ thread_key: string | null; place_key: string | null; order_key: string | null } | undefined> {
  return database.get(
    `SELECT thread_key, place_key, order_key FROM records
     WHERE owner_id = ? AND connection_id = ? AND stream = ? AND record_key = ? AND deleted = 0`,
    [owner_id, connection_id, stream.name, recordKey(record_id)],
  )
}

export interface ConversationRow {
  record: StoredRecord
  position: ConversationPosition
}

const MOST_AT_ONCE = 200

/** The visible records on one side of a position, nearest first. It reads along an index and no further than asked. */
export async function* neighbours(
  database: Queryable,
  { owner_id, source, column, key, from, to }: ConversationKey,
  side: 'before' | 'after',
  start: ConversationPosition,
  inclusive: boolean,
): AsyncGenerator<ConversationRow> {
  const [way, beyond] = side === 'after' ? ['ASC', '>'] : ['DESC', '<']
  let position = start
  let operator = inclusive ? `${beyond}=` : beyond
  for (let limit = 16; ; limit = Math.min(MOST_AT_ONCE, limit * 2)) {
    const scope = scopeOf({ owner_id, conditions: new Map() }, source)
    const sql = [...scope.sql, `${column} = ?`, `(order_key, record_key) ${operator} (?, ?)`]
    const params: Value[] = [...scope.params, key, position.order_key, position.record_key]
    if (from !== null && side === 'before') {
      sql.push('order_key >= ?')
      params.push(from)
    }
    if (to !== null && side === 'after') {
      sql.push('order_key < ?')
      params.push(to)
    }
    const rows = await database.all<RecordRow>(
      `SELECT ${COLUMNS} FROM records WHERE ${sql.join(' AND ')}
       ORDER BY order_key ${way}, record_key ${way} LIMIT ?`,
      [...params, limit],
    )
    for (const row of rows) {
      position = { order_key: row.order_key ?? '', record_key: row.record_key }
      const record = recordOf(row)
      if (visibleFields(source, record) !== undefined) yield { record, position }
    }
    if (rows.length < limit) return
    operator = beyond
  }
}
