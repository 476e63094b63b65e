/*
 * The counts of a row as text, six bits per character, because both drivers return text faster than bytes. Each section
 * has its code, its number of words and its length, then the hashes of its words in ascending order, then their counts.
 */
const FIRST_DIGIT = 48
const BITS = 6
const DIGIT = 63
/** Smaller counts are exact; larger ones are rounded, with three steps for each doubling. */
const EXACT = 48
const STEPS = 3
const CODE_DIGITS = 3
const WORDS_DIGITS = 4
const LENGTH_DIGITS = 4
const HEAD_DIGITS = CODE_DIGITS + WORDS_DIGITS + LENGTH_DIGITS
const HASH_DIGITS = 5

/** Stands for a word that is not counted. */
export const NO_HASH = -1

/** One field of an index row: how many words it has in the row, and how often each key occurs, by its hash. */
export interface CountedField {
  code: number
  length: number
  hashes: number[]
  counts: number[]
}

/** The hash of a word, 30 bits. */
export function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 2
}

/** Where the lower and the higher half of a number of 64 bits are in memory. */
const LOW = new Uint32Array(BigUint64Array.of(1n).buffer)[0] === 1 ? 0 : 1
const HIGH = 1 - LOW

let scratch = Buffer.alloc(2 ** 12)
/** The engine sorts whole numbers of 64 bits several times faster than numbers that may not be whole. */
let scratchEntries = new BigUint64Array(2 ** 9)
let scratchHalves = new Uint32Array(scratchEntries.buffer)

export function packSections(sections: readonly CountedField[]): string {
  const size = sections.reduce((sum, { hashes }) => sum + HEAD_DIGITS + hashes.length * (HASH_DIGITS + 1), 0)
  if (size > scratch.length) scratch = Buffer.alloc(2 * size)
  const text = scratch
  let at = 0
  const write = (value: number, digits: number) => {
    for (let i = digits - 1, rest = value; i >= 0; i--, rest >>>= BITS)
      text[at + i] = FIRST_DIGIT + (rest & DIGIT)
    at += digits
  }
  for (const { code, length, hashes, counts } of sections) {
    // A hash and its count in one number, so that both are sorted together; it is written and read as two halves.
    if (hashes.length > scratchEntries.length) {
      scratchEntries = new BigUint64Array(2 * hashes.length)
      scratchHalves = new Uint32Array(scratchEntries.buffer)
    }
    const halves = scratchHalves
    for (let i = 0; i < hashes.length; i++) {
      halves[2 * i + LOW] = digitOf(counts[i] as number)
      halves[2 * i + HIGH] = hashes[i] as number
    }
    scratchEntries.subarray(0, hashes.length).sort()
    write(code, CODE_DIGITS)
    write(hashes.length, WORDS_DIGITS)
    write(length, LENGTH_DIGITS)
    // The loop over digits is unrolled, because this runs for every word.
    const firstCount = at + hashes.length * HASH_DIGITS
    for (let i = 0; i < hashes.length; i++) {
      const hash = halves[2 * i + HIGH] as number
      text[at] = FIRST_DIGIT + (hash >>> 24)
      text[at + 1] = FIRST_DIGIT + ((hash >>> 18) & DIGIT)
      text[at + 2] = FIRST_DIGIT + ((hash >>> 12) & DIGIT)
      text[at + 3] = FIRST_DIGIT + ((hash >>> 6) & DIGIT)
      text[at + 4] = FIRST_DIGIT + (hash & DIGIT)
      text[firstCount + i] = FIRST_DIGIT + (halves[2 * i + LOW] as number)
      at += HASH_DIGITS
    }
    at += hashes.length
  }
  return text.toString('latin1', 0, size)
}

function digitOf(count: number): number {
  return count < EXACT ? count : Math.min(DIGIT, EXACT + Math.round(STEPS * Math.log2(count / EXACT)))
}

/** The count that each digit encodes. */
const COUNTS = Array.from({ length: DIGIT + 1 }, (_, digit) =>
  digit < EXACT ? digit : Math.round(EXACT * 2 ** ((digit - EXACT) / STEPS)),
)

/** The sections with the given field codes. */
export function sectionsWith(packed: string, codes: readonly number[]): string {
  let found = ''
  for (let at = 0; at < packed.length; ) {
    const code = numberAt(packed, at, CODE_DIGITS)
    const words = numberAt(packed, at + CODE_DIGITS, WORDS_DIGITS)
    const end = at + HEAD_DIGITS + words * (HASH_DIGITS + 1)
    if (codes.includes(code)) found += packed.slice(at, end)
    at = end
  }
  return found
}

/** Adds the weighted occurrences of the hashed words to `counts`, with a weight for each field code; returns how many words the weighted fields have. */
export function countPacked(
  packed: string,
  hashes: readonly number[],
  weights: readonly number[],
  counts: number[],
): number {
  let length = 0
  for (let at = 0; at < packed.length; ) {
    const weight = weights[numberAt(packed, at, CODE_DIGITS)] ?? 0
    const words = numberAt(packed, at + CODE_DIGITS, WORDS_DIGITS)
    const first = at + HEAD_DIGITS
    if (weight > 0) {
      length += numberAt(packed, at + CODE_DIGITS + WORDS_DIGITS, LENGTH_DIGITS)
      for (let i = 0; i < hashes.length; i++) {
        const hash = hashes[i] ?? NO_HASH
        const n = hash === NO_HASH ? 0 : countOf(packed, first, words, hash)
        if (n > 0) counts[i] = (counts[i] ?? 0) + weight * n
      }
    }
    at = first + words * (HASH_DIGITS + 1)
  }
  return length
}

function countOf(packed: string, first: number, words: number, hash: number): number {
  let low = 0
  let high = words - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = hashAt(packed, first + middle * HASH_DIGITS)
    if (found === hash) return COUNTS[numberAt(packed, first + words * HASH_DIGITS + middle, 1)] ?? 0
    if (found < hash) low = middle + 1
    else high = middle - 1
  }
  return 0
}

/** `numberAt` for five digits, unrolled because this runs often. */
function hashAt(packed: string, at: number): number {
  return (
    ((packed.charCodeAt(at) - FIRST_DIGIT) << 24) |
    ((packed.charCodeAt(at + 1) - FIRST_DIGIT) << 18) |
    ((packed.charCodeAt(at + 2) - FIRST_DIGIT) << 12) |
    ((packed.charCodeAt(at + 3) - FIRST_DIGIT) << 6) |
    (packed.charCodeAt(at + 4) - FIRST_DIGIT)
  )
}

function numberAt(packed: string, at: number, digits: number): number {
  let value = 0
  for (let i = at; i < at + digits; i++) value = (value << BITS) | (packed.charCodeAt(i) - FIRST_DIGIT)
  return value
}
