import { admits, type Source, visibleFields } from './enforce.ts'
import { lastChange, type StoredRecord } from './record.ts'

/** What a reader who was up to date at `since` must be told about a record. */
export type Change = { kind: 'record' | 'tombstone'; seq: number } | null

/**
 * Decides on the granted projection alone: a change that the grant hides is no change, a record that left the grant's
 * view is a tombstone, one that was never in it stays unknown.
 */
export function changeSeen(source: Source, record: StoredRecord, since: number): Change {
  const visible = record.deleted ? undefined : visibleFields(source, record)
  const seenBefore = wasVisible(source, record, since)
  if (visible === undefined) {
    const left = leftAt(source, record)
    return seenBefore && left > since ? { kind: 'tombstone', seq: left } : null
  }
  const changed = Math.max(lastChange(record, visible)[0], seenBefore ? 0 : enteredAt(source, record))
  return changed > since ? { kind: 'record', seq: changed } : null
}

function states(record: StoredRecord) {
  return record.history?.states ?? [[record.seq, record.time_key, record.deleted ? 0 : 1] as const]
}

function isVisible(source: Source, record: StoredRecord, time_key: string | null, alive: number): boolean {
  return (
    alive === 1 && source.clauses.some(clause => admits(clause, { record_id: record.record_id, time_key }))
  )
}

function wasVisible(source: Source, record: StoredRecord, since: number): boolean {
  const then = states(record).findLast(([from]) => from <= since)
  return then !== undefined && isVisible(source, record, then[1], then[2])
}

/** The change since when the record is as invisible as it is now. */
function leftAt(source: Source, record: StoredRecord): number {
  let left = 0
  let visible = false
  for (const [from, time_key, alive] of states(record)) {
    const now = isVisible(source, record, time_key, alive)
    if (visible && !now) left = from
    visible = now
  }
  return left
}

/** The change since when the record is as visible as it is now. */
function enteredAt(source: Source, record: StoredRecord): number {
  let entered = 0
  let visible = false
  for (const [from, time_key, alive] of states(record)) {
    const now = isVisible(source, record, time_key, alive)
    if (!visible && now) entered = from
    visible = now
  }
  return entered
}
