const FIRST_SLOTS = 1024
const MOST_SLOTS = 1024 * 1024
const MOST_FULL = 0.75

/** Fingerprints of 40 bits; the slot adds further bits of the hash. A slot is empty if both parts are 0. */
interface Prints {
  low: Uint32Array
  high: Uint8Array
  marks: Uint32Array | null
  used: number
}

/** Where an id is stored. */
interface Place {
  prints: Prints
  slot: number
}

/**
 * Remembers ids, and optionally a 32-bit mark for each. A large set needs 7 bytes per id, or 12 with marks, so it
 * works for millions of ids. It grows by adding tables, because copying to a larger table would need memory for both.
 */
export class IdPrints {
  readonly #tables: Prints[]
  readonly #hasMarks: boolean

  constructor(kept: 'ids' | 'ids with marks') {
    this.#hasMarks = kept === 'ids with marks'
    this.#tables = [this.#printsFor(FIRST_SLOTS)]
  }

  /** Stores an id that is new. If it is known, returns a number that represents it, and its mark. */
  knownOrKeep(id: string, mark = 0): { print: number; mark: number } | null {
    const at = fingerprint(id)
    const known = this.#find(at)
    if (known) return { print: 4294967296 * (at.place & 0x1fffff) + at.low, mark: markAt(known) }
    let last = this.#tables.at(-1) as Prints
    if (last.used >= last.low.length * MOST_FULL) {
      last = this.#printsFor(Math.min(last.low.length * 2, MOST_SLOTS))
      this.#tables.push(last)
    }
    const slot = slotFor(last, at)
    last.low[slot] = at.low
    last.high[slot] = at.high
    if (last.marks) last.marks[slot] = mark
    last.used++
    return null
  }

  has(id: string): boolean {
    return this.#find(fingerprint(id)) !== null
  }

  /** The mark of an id; null if the id is not known. */
  markOf(id: string): number | null {
    const known = this.#find(fingerprint(id))
    return known && markAt(known)
  }

  #find(at: Fingerprint): Place | null {
    for (const prints of this.#tables) {
      const slot = slotFor(prints, at)
      if (isAt(prints, slot)) return { prints, slot }
    }
    return null
  }

  #printsFor(slots: number): Prints {
    return {
      low: new Uint32Array(slots),
      high: new Uint8Array(slots),
      marks: this.#hasMarks ? new Uint32Array(slots) : null,
      used: 0,
    }
  }
}

function markAt({ prints, slot }: Place): number {
  return prints.marks?.[slot] ?? 0
}

/** The slot where a fingerprint is stored, or would be. */
function slotFor(table: Prints, { place, low, high }: Fingerprint): number {
  const mask = table.low.length - 1
  let slot = place & mask
  while (isAt(table, slot) && (table.low[slot] !== low || table.high[slot] !== high)) slot = (slot + 1) & mask
  return slot
}

function isAt(table: Prints, slot: number): boolean {
  return table.low[slot] !== 0 || table.high[slot] !== 0
}

/** A hash of 64 bits: the slot where the search starts, and the value to compare. */
interface Fingerprint {
  place: number
  low: number
  high: number
}

function fingerprint(id: string): Fingerprint {
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
