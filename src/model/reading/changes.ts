import { type Source, visibleFields } from '../access/enforce.ts'
import type { StoredRecord } from './record.ts'
import {
  type CutStates,
  lastChange,
  type RecordState,
  sameView,
  type View,
  viewOf,
} from './record-history.ts'

/** The change that a reader who was up to date at `since` must be told about. */
export type Change = { kind: 'record' | 'tombstone'; seq: number } | null

/**
 * Decides from the granted projection only: a change to hidden data does not count, a record that left the grant's view
 * is a tombstone, and one that was never in it is not reported. Nor is a record that is hidden now and is not known to
 * have been visible: any answer to that would be a trace of a record that the grant may never have shown.
 */
export function changeSeen(source: Source, record: StoredRecord, since: number): Change {
  const visible = record.deleted ? undefined : visibleFields(source, record)
  const before = viewsThen(source, record, since)
  if (visible === undefined) {
    if (!before.had.some(isShown)) return null
    const left = sameViewSince(source, record)
    return left > since ? { kind: 'tombstone', seq: left } : null
  }
  const same = before.possible.every(view => sameView(view, visible))
  const changed = Math.max(lastChange(source, record, visible)[0], same ? 0 : sameViewSince(source, record))
  return changed > since ? { kind: 'record', seq: changed } : null
}

function isShown(view: View): boolean {
  return view !== undefined
}

function states(record: StoredRecord): RecordState[] {
  return record.history?.states ?? [[record.seq, record.time_key, record.deleted ? 0 : 1]]
}

/**
 * The views that the record can have had at that change, and those that it had then or at some other time whose states
 * were cut. Both are the same single view if the state of that change is known.
 */
function viewsThen(source: Source, record: StoredRecord, since: number): { possible: View[]; had: View[] } {
  const then = states(record).findLast(([from]) => from <= since)
  const cut = record.history?.cut
  if (then === undefined && cut !== undefined && cut.from <= since)
    return viewsOfCut(source, record.record_id, cut)
  const view = then === undefined ? undefined : viewOf(source, record.record_id, then)
  return { possible: [view], had: [view] }
}

/** A view can change only at a bound of the grant, so the bounds between the extremes give every possible view. */
function viewsOfCut(source: Source, record_id: string, cut: CutStates): { possible: View[]; had: View[] } {
  const { earliest, latest } = cut
  const viewAt = (time_key: string | null) => viewOf(source, record_id, [cut.from, time_key, 1])
  const had: View[] = []
  if (cut.deleted) had.push(undefined)
  if (cut.untimed) had.push(viewAt(null))
  if (earliest === null || latest === null) return { possible: had, had }
  had.push(viewAt(earliest), viewAt(latest))
  const between = source.clauses
    .flatMap(clause => [clause.since, clause.until])
    .filter(bound => bound !== null && bound > earliest && bound < latest)
  return { possible: [...had, ...between.map(viewAt)], had }
}

/** The change since which the source shows the record as it does now, or the earliest known one since which it does. */
function sameViewSince(source: Source, record: StoredRecord): number {
  const all = states(record)
  const views = all.map(state => viewOf(source, record.record_id, state))
  const other = views.findLastIndex(view => !sameView(view, views.at(-1)))
  return all[other + 1]?.[0] ?? 0
}
