import { type Source, visibleFields } from '../access/enforce.ts'
import { type History, lastChange, type StoredRecord } from './record.ts'

/** The change that a reader who was up to date at `since` must be told about. */
export type Change = { kind: 'record' | 'tombstone'; seq: number } | null

/**
 * Decides from the granted projection only: a change to hidden data does not count, a record that left the grant's view
 * is a tombstone, and one that was never in it is not reported.
 */
export function changeSeen(source: Source, record: StoredRecord, since: number): Change {
  const visible = record.deleted ? undefined : visibleFields(source, record)
  const before = viewThen(source, record, since)
  if (visible === undefined) {
    const left = sameViewSince(source, record)
    return before !== null && left > since ? { kind: 'tombstone', seq: left } : null
  }
  const moved = before === nameOf(visible) ? 0 : sameViewSince(source, record)
  const changed = Math.max(lastChange(record, visible)[0], moved)
  return changed > since ? { kind: 'record', seq: changed } : null
}

function states(record: StoredRecord): History['states'] {
  return record.history?.states ?? [[record.seq, record.time_key, record.deleted ? 0 : 1]]
}

/** Identifies what is visible of a record; null if nothing is. */
function nameOf(visible: ReturnType<typeof visibleFields>): string | null {
  if (visible === undefined) return null
  return visible === null ? 'all' : JSON.stringify([...visible].sort())
}

function viewOf(
  source: Source,
  record_id: string,
  [, time_key, alive]: History['states'][number],
): string | null {
  return alive === 1 ? nameOf(visibleFields(source, { record_id, time_key })) : null
}

function viewThen(source: Source, record: StoredRecord, since: number): string | null {
  const then = states(record).findLast(([from]) => from <= since)
  return then === undefined ? null : viewOf(source, record.record_id, then)
}

/** The change since which the source shows the record as it does now. */
function sameViewSince(source: Source, record: StoredRecord): number {
  let since = 0
  let view: string | null = null
  for (const state of states(record)) {
    const now = viewOf(source, record.record_id, state)
    if (now !== view) since = state[0]
    view = now
  }
  return since
}
