import { type Source, visibleFields } from '../access/enforce.ts'

/** When the record was last created, when each field last changed, and when its placement changed. */
export interface History {
  born: Stamp
  fields: Record<string, Stamp>
  /** Ascending. Since this change, the record had this consent time and existed (1) or was deleted (0). */
  states: RecordState[]
  /** Only if there were more states than are kept. */
  cut?: CutStates
}
/**
 * With the time of that change and, if it was a move in time, the number that a record had got that was added then. Older
 * states have neither.
 */
type RecordState = [from: number, time_key: string | null, alive: 0 | 1, emitted_at?: string, row?: number]
/** What is still known of the states before the kept ones. */
interface CutStates {
  /** The change that created the record. */
  from: number
  earliest: string | null
  latest: string | null
  /** Whether one of them had no time, and whether the record was deleted in one of them. */
  untimed: boolean
  deleted: boolean
}
export type Stamp = [seq: number, emitted_at: string]

/** A history is read with its record, so it must stay small. */
const MOST_STATES = 64

/** Adds a state. If there are too many, the oldest ones are reduced to what they had in common. */
export function withState(
  { states, cut }: Pick<History, 'states' | 'cut'>,
  state: RecordState,
): Pick<History, 'states' | 'cut'> {
  const all = [...states, state]
  const removed = all.slice(0, -MOST_STATES)
  const reduced = removed.reduce(reduce, cut)
  return { states: all.slice(-MOST_STATES), ...(reduced ? { cut: reduced } : {}) }
}

function reduce(cut: CutStates | undefined, [from, time_key, alive]: RecordState): CutStates {
  const before = cut ?? { from, earliest: null, latest: null, untimed: false, deleted: false }
  if (alive === 0) return { ...before, deleted: true }
  if (time_key === null) return { ...before, untimed: true }
  const { earliest, latest } = before
  return {
    ...before,
    earliest: earliest === null || time_key < earliest ? time_key : earliest,
    latest: latest === null || time_key > latest ? time_key : latest,
  }
}

/** The history with the number of a move. */
export function withNumber(history: History, seq: number, row: number): History {
  const states = history.states.map((state): RecordState => {
    const [from, time_key, alive, emitted_at = ''] = state
    return from === seq ? [from, time_key, alive, emitted_at, row] : state
  })
  return { ...history, states }
}

/** The history without numbers, which are of one store. */
export function withoutNumbers(history: History): History {
  return { ...history, states: history.states.map(state => state.slice(0, 4) as RecordState) }
}

/** Lower and higher than the key of every time. */
const NO_TIMES = { earliest_key: '', latest_key: '~' }

/** Between which times the record has always been, so that no grant for all of them ever hid it. */
export function spanOf({ states, cut }: History): typeof NO_TIMES {
  const keys = states.flatMap(([, time_key, alive]) => (alive === 1 ? [time_key] : []))
  const known = keys.filter(key => key !== null).sort()
  const [earliest_key, latest_key] = [known[0], known.at(-1)]
  if (cut || known.length < keys.length || earliest_key === undefined || latest_key === undefined)
    return NO_TIMES
  return { earliest_key, latest_key }
}

/** The number of the move since which a record can be seen; null if it could be seen since it was added. */
export function numberOfEntry(source: Source, record_id: string, { states, cut }: History): number | null {
  const isHidden = (state: RecordState) => viewOf(source, record_id, state) === undefined
  const hidden = states.findLastIndex(isHidden)
  const wasAdded = hidden === -1 ? cut === undefined : states[hidden]?.[2] === 0
  return wasAdded ? null : (states.slice(hidden + 1).find(state => state[4] !== undefined)?.[4] ?? null)
}

/** The part of a stored record that says when it changed. */
interface Dated {
  record_id: string
  seq: number
  emitted_at: string
  history: History | null
}

/** The fields of a record that a source shows. */
type View = ReturnType<typeof visibleFields>

/**
 * When the visible part of a record last changed: a visible field, or which fields are visible, because the record moved
 * in time. Changes of hidden fields do not count.
 */
export function lastChange(
  source: Source,
  { record_id, seq, emitted_at, history }: Dated,
  visible: ReadonlySet<string> | null,
): Stamp {
  if (visible === null || history === null) return [seq, emitted_at]
  let last = history.born
  for (const [field, stamp] of Object.entries(history.fields)) {
    if (visible.has(field) && stamp[0] > last[0]) last = stamp
  }
  return enteredView(source, record_id, history.states, visible, last[0]) ?? last
}

/** The move since which a record shows what it does now; null if that was not after this change, or is not known. */
function enteredView(
  source: Source,
  record_id: string,
  states: readonly RecordState[],
  visible: View,
  after: number,
): Stamp | null {
  if ((states.at(-1)?.[0] ?? 0) <= after) return null
  const other = states.findLastIndex(state => !sameView(viewOf(source, record_id, state), visible))
  const entered = other === -1 ? undefined : states[other + 1]
  return entered?.[3] !== undefined && entered[0] > after ? [entered[0], entered[3]] : null
}

/** The change since which a record has these values of these fields, and all of them can be seen. */
export function fieldsSince(
  source: Source,
  { record_id, seq, history }: Omit<Dated, 'emitted_at'>,
  fields: readonly string[],
): number {
  if (history === null) return seq
  const shows = (view: View) => view === null || fields.every(field => view?.has(field))
  const { born, states } = history
  const hidden = states.findLastIndex(state => !shows(viewOf(source, record_id, state)))
  const entered = hidden === -1 ? 0 : (states[hidden + 1]?.[0] ?? seq)
  return Math.max(born[0], entered, ...fields.map(field => history.fields[field]?.[0] ?? 0))
}

/** What the source shows of a record in that state. */
function viewOf(source: Source, record_id: string, [, time_key, alive]: RecordState): View {
  return alive === 1 ? visibleFields(source, { record_id, time_key }) : undefined
}

function sameView(a: View, b: View): boolean {
  if (a === b || !a || !b) return a === b
  return a.size === b.size && a.isSubsetOf(b)
}

/** The change that a reader who was up to date at `since` must be told about. */
export type Change = { kind: 'record' | 'tombstone'; seq: number } | null

/**
 * Decides from the granted projection only: a change to hidden data does not count, a record that left the grant's view
 * is a tombstone, and one that was never in it is not reported. Nor is a record that is hidden now and is not known to
 * have been visible: any answer to that would be a trace of a record that the grant may never have shown.
 */
export function changeSeen(source: Source, record: Dated & DatedPlacement, since: number): Change {
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

/** What decides when a record could be seen. */
type DatedPlacement = Omit<Dated, 'emitted_at'> & { time_key: string | null; deleted: boolean }

function isShown(view: View): boolean {
  return view !== undefined
}

function states(record: DatedPlacement): RecordState[] {
  return record.history?.states ?? [[record.seq, record.time_key, record.deleted ? 0 : 1]]
}

/**
 * The views that the record can have had at that change, and those that it had then or at some other time whose states
 * were cut. Both are the same single view if the state of that change is known.
 */
function viewsThen(source: Source, record: DatedPlacement, since: number): { possible: View[]; had: View[] } {
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
function sameViewSince(source: Source, record: DatedPlacement): number {
  const all = states(record)
  const views = all.map(state => viewOf(source, record.record_id, state))
  const other = views.findLastIndex(view => !sameView(view, views.at(-1)))
  return all[other + 1]?.[0] ?? 0
}
