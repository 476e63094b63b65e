import { hash } from 'node:crypto'
import { IdPrints } from './id-prints.ts'

const BASE32 = 'abcdefghijkmnpqrstuvwxyz23456789'
const BITS = 80

/** A short, safe and stable record id: a hash of the parts in order, as 16 letters and digits. */
export function recordIdOf(...parts: string[]): string {
  const measured = parts.map(part => `${Buffer.byteLength(part)}:${part}`)
  return idOfHash(hash('sha256', measured.join(''), 'buffer'))
}

/** The same for a hash that was computed elsewhere. */
export function idOfHash(digest: Uint8Array): string {
  let id = ''
  let held = 0
  let bits = 0
  for (const byte of digest.subarray(0, BITS / 8)) {
    held = ((held << 8) | byte) & 0xfff
    for (bits += 8; bits >= 5; bits -= 5) id += BASE32[(held >> (bits - 5)) & 31]
  }
  return id
}

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
