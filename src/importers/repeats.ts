import { createHash } from 'node:crypto'

const FIRST_SLOTS = 1024
const MOST_FULL = 0.75

/**
 * Counts how often an id was seen before: 0 for the first time. It keeps 8 bytes for an id, 16 while it grows, and a
 * little more for those that repeat, so a file of millions of rows can be told apart in memory.
 */
export function repeatCounter(): (id: string) => number {
  let slots = new Float64Array(FIRST_SLOTS)
  let used = 0
  const repeated = new Map<number, number>()

  const slotOf = (table: Float64Array, print: number): number => {
    let slot = print % table.length
    while (table[slot] !== 0 && table[slot] !== print) slot = slot + 1 === table.length ? 0 : slot + 1
    return slot
  }
  const grow = () => {
    const larger = new Float64Array(slots.length * 2)
    for (const print of slots) if (print !== 0) larger[slotOf(larger, print)] = print
    slots = larger
  }
  return id => {
    const print = fingerprint(id)
    const slot = slotOf(slots, print)
    if (slots[slot] === print) {
      const count = (repeated.get(print) ?? 0) + 1
      repeated.set(print, count)
      return count
    }
    slots[slot] = print
    used++
    if (used > slots.length * MOST_FULL) grow()
    return 0
  }
}

/** 52 bits of a hash as a whole number that is never 0. */
function fingerprint(id: string): number {
  const digest = createHash('sha256').update(id).digest()
  return digest.readUIntBE(0, 6) * 16 + ((digest[6] as number) >> 4) || 1
}
