const FIRST_SLOTS = 1024
const MOST_FULL = 0.75

/** Fingerprints of 40 bits; where one is stored says more of it. Nothing is stored where both parts are 0. */
interface Prints {
  low: Uint32Array
  high: Uint8Array
  used: number
}

/**
 * Counts how often an id was seen before: 0 for the first time. It needs 7 to 14 bytes per id, and a little more for
 * repeated ones, so that it works for millions of rows. It grows by a further table, because copying to a larger one
 * would need the memory of both.
 */
export function repeatCounter(): (id: string) => number {
  let last = printsFor(FIRST_SLOTS)
  const tables = [last]
  const repeated = new Map<number, number>()
  return id => {
    const { place, low, high } = fingerprint(id)
    for (const table of tables) {
      if (!isAt(table, slotFor(table, place, low, high))) continue
      const print = 4294967296 * (place & 0x1fffff) + low
      const count = (repeated.get(print) ?? 0) + 1
      repeated.set(print, count)
      return count
    }
    if (last.used >= last.low.length * MOST_FULL) {
      last = printsFor(last.low.length * 2)
      tables.push(last)
    }
    const slot = slotFor(last, place, low, high)
    last.low[slot] = low
    last.high[slot] = high
    last.used++
    return 0
  }
}

function printsFor(slots: number): Prints {
  return { low: new Uint32Array(slots), high: new Uint8Array(slots), used: 0 }
}

/** Where a fingerprint is, or would be. */
function slotFor(table: Prints, place: number, low: number, high: number): number {
  const mask = table.low.length - 1
  let slot = place & mask
  while (isAt(table, slot) && (table.low[slot] !== low || table.high[slot] !== high)) slot = (slot + 1) & mask
  return slot
}

function isAt(table: Prints, slot: number): boolean {
  return table.low[slot] !== 0 || table.high[slot] !== 0
}

/** A hash of 64 bits: where to look, and what to find there. */
function fingerprint(id: string): { place: number; low: number; high: number } {
  let one = 0xdeadbeef
  let two = 0x41c6ce57
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at)
    one = Math.imul(one ^ code, 2654435761)
    two = Math.imul(two ^ code, 1597334677)
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(two ^ (two >>> 13), 3266489909)
  two = Math.imul(two ^ (two >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909)
  const low = two >>> 0
  const high = one >>> 24
  return { place: one >>> 0, low: low === 0 && high === 0 ? 1 : low, high }
}
