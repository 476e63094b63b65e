const FIRST_SLOTS = 1024
const MOST_FULL = 0.75

/**
 * Counts how often an id was seen before: 0 for the first time. It needs 8 to 16 bytes per id, and a little more for
 * repeated ones, so that it works for millions of rows.
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

/** A hash of 53 bits as a whole number that is never 0. */
function fingerprint(id: string): number {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return 4294967296 * (2097151 & low) + (high >>> 0) || 1
}
