import { IdPrints } from './id-prints.ts'

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
