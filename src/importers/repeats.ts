import { IdPrints } from './id-prints.ts'
import { recordIdOf } from './record-id.ts'

/** Counts how often an id was seen before: 0 for the first time. Repeated ids need more memory than unique ones. */
export function repeatCounter(): (id: string) => number {
  const ids = new IdPrints('ids')
  const repeated = new Map<number, number>()
  return id => {
    const known = ids.knownOrKeep(id)
    if (known === null) return 0
    const count = (repeated.get(known.print) ?? 0) + 1
    repeated.set(known.print, count)
    return count
  }
}

/** Ids of items that have none: from what identifies them, numbered where they repeat. */
export function repeatedIds(kind: string): (...facts: string[]) => { id: string; repeat: number } {
  const repeats = repeatCounter()
  return (...facts) => {
    const repeat = repeats(facts.join('\n'))
    return { id: repeatedId(repeat, kind, ...facts), repeat }
  }
}

/** The id of an item that a source may contain several times; `repeat` says how often it came before. */
export function repeatedId(repeat: number, ...facts: string[]): string {
  return recordIdOf(...facts, ...(repeat > 0 ? [String(repeat)] : []))
}
