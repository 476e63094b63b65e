import { isUnspaced } from '../text/analyzer.ts'
import { hashOf } from './packed-counts.ts'
import { CORRECTED_LETTERS } from './tuning.ts'

/** So few bits that every hash belongs to many possible words: a stored hash does not prove that a word occurred. */
const BITS = 22
const BYTES = 3

/** One edit can make a word longer, and a letter may take two UTF-16 units. */
const LONGEST = 2 * (CORRECTED_LETTERS.most + 1)
/** The scripts without spaces come after this character. */
const LAST_SPACED = 0xdff

/** The hash of a word that a misspelt word can be corrected to; null for any other. */
export function wordHash(key: string): number | null {
  return isOfLetters(key) ? shortened(hashOf(key)) : null
}

/** The bits of a hash that are stored. */
export function shortened(hash: number): number {
  return hash >>> (30 - BITS)
}

/** Whether a misspelt word can be corrected to this one. */
export function isOfLetters(key: string): boolean {
  if (key.length > LONGEST) return false
  let mayBeUnspaced = false
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i)
    if (!isLetter(unit)) return false
    if (unit > LAST_SPACED) mayBeUnspaced = true
  }
  return !mayBeUnspaced || !isUnspaced(key)
}

/** Keys contain letters and digits, and private-use characters in names and further keys. */
function isLetter(unit: number): boolean {
  return unit > 0x7a ? unit < 0xe000 || unit > 0xf8ff : unit > 0x60
}

/** A set of hashes, with one bit for each possible hash. */
export class WordHashes {
  readonly #bits = new Uint8Array(2 ** (BITS - 3))

  has(hash: number): boolean {
    return (((this.#bits[hash >>> 3] ?? 0) >>> (hash & 7)) & 1) === 1
  }

  add(hash: number): void {
    this.#bits[hash >>> 3] = (this.#bits[hash >>> 3] ?? 0) | (1 << (hash & 7))
  }

  addPacked(packed: Uint8Array): void {
    const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength)
    for (let at = 0; at < bytes.length; at += BYTES) this.add(bytes.readUIntBE(at, BYTES))
  }
}

export function packHashes(hashes: Iterable<number>): Uint8Array {
  const all = [...hashes]
  const bytes = Buffer.alloc(all.length * BYTES)
  for (const [i, hash] of all.entries()) bytes.writeUIntBE(hash, i * BYTES, BYTES)
  return bytes
}
