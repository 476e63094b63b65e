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
export type RecordState = [
  from: number,
  time_key: string | null,
  alive: 0 | 1,
  emitted_at?: string,
  row?: number,
]
/** What is still known of the states before the kept ones. */
export interface CutStates {
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
export type View = ReturnType<typeof visibleFields>

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
export function viewOf(source: Source, record_id: string, [, time_key, alive]: RecordState): View {
  return alive === 1 ? visibleFields(source, { record_id, time_key }) : undefined
}

export function sameView(a: View, b: View): boolean {
  if (a === b || !a || !b) return a === b
  return a.size === b.size && a.isSubsetOf(b)
}
