import type { CutStates, History, RecordState } from './record.ts'

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
