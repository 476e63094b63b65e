import { detached, newKeysOf } from './words.ts'

/*
 * Words and their keys for counting, where each key has a small number. What is needed about a word that was seen
 * before is kept in a few flat arrays: with objects all over the heap, nearly every word of a text would cause a cache
 * miss.
 */

const MOST_WORDS = 50_000
const MOST_KEYS = 100_000

/** For each word: the hash, position and length of its letters, its own key, a further key, and a list of others. */
const HASH = 0
const PLACE = 1
const LENGTH = 2
const OWN = 3
const FURTHER = 4
const OTHERS = 5
const FACTS = 6
const NONE = -1

let facts = new Int32Array(FACTS * 2 ** 10)
let letters = new Uint8Array(2 ** 13)
/** The number of a word plus one, at the slot of its hash or soon after it. */
let slots = new Int32Array(2 ** 12)
let words = 0
let lettersUsed = 0
const others: number[][] = []
const numbers = new Map<string, number>()
let texts: string[] = []
/** The keys in UTF-8, one after the other, and where each ends. */
let encoded = Buffer.alloc(2 ** 13)
let ends = new Int32Array(2 ** 10)
let isCounting = false
let forgotten = 0

/** Runs work that counts keys. Key numbers stay valid while it runs. */
export function countingKeys<T>(work: () => T): T {
  if (words >= MOST_WORDS || numbers.size >= MOST_KEYS) forget()
  if (isCounting) throw new Error('Keys are being counted.')
  isCounting = true
  try {
    return work()
  } finally {
    isCounting = false
  }
}

/** How many times all key numbers were reset. */
export function timesForgotten(): number {
  return forgotten
}

export function keyNumber(text: string): number {
  const known = numbers.get(text)
  if (known !== undefined) return known
  const own = detached(text)
  const number = texts.length
  numbers.set(own, number)
  encode(own, number)
  texts.push(own)
  return number
}

function encode(text: string, number: number): void {
  const start = number === 0 ? 0 : (ends[number - 1] as number)
  // A UTF-16 unit takes up to three bytes.
  const room = start + 3 * text.length
  if (room > encoded.length) encoded = larger(encoded, Buffer.alloc(2 * room))
  if (number >= ends.length) ends = larger(ends, new Int32Array(2 * ends.length))
  ends[number] = start + encoded.write(text, start)
}

export function keyText(number: number): string {
  return texts[number] as string
}

/** How many bytes the keys take in UTF-8. */
export function sizeOfKeys(keys: readonly number[]): number {
  const last = ends
  let size = 0
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as number
    size += (last[key] as number) - (key === 0 ? 0 : (last[key - 1] as number))
  }
  return size
}

/** Writes keys in UTF-8, each with the given bytes before it, and returns where they end. */
export function writeKeys(keys: readonly number[], before: Uint8Array, into: Uint8Array, at: number): number {
  const [bytes, last] = [encoded, ends]
  let to = at
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as number
    for (let j = 0; j < before.length; j++) into[to++] = before[j] as number
    const end = last[key] as number
    for (let j = key === 0 ? 0 : (last[key - 1] as number); j < end; j++) into[to++] = bytes[j] as number
  }
  return to
}

/**
 * Reports the keys of the word between two positions of a plain text, and whether each is a further key. The text is
 * also given as bytes, and the hash of the word is known.
 */
export function keysAt(
  text: string,
  bytes: Uint8Array,
  start: number,
  end: number,
  hash: number,
  take: (key: number, isFurther: boolean) => void,
): void {
  const at = FACTS * find(text, bytes, start, end, hash)
  const own = facts[at + OWN] as number
  if (own !== NONE) take(own, false)
  const further = facts[at + FURTHER] as number
  if (further === NONE) return
  take(further, true)
  const list = facts[at + OTHERS] as number
  if (list !== NONE) for (const other of others[list] as number[]) take(other, true)
}

function find(text: string, bytes: Uint8Array, start: number, end: number, hash: number): number {
  const mask = slots.length - 1
  for (let slot = spread(hash) & mask; ; slot = (slot + 1) & mask) {
    const word = (slots[slot] as number) - 1
    if (word < 0) return add(text, bytes, start, end, hash)
    if (facts[FACTS * word + HASH] === hash && isAt(word, bytes, start, end)) return word
  }
}

function spread(hash: number): number {
  return hash ^ (hash >>> 15)
}

/** Whether this word is the text between two positions. */
function isAt(word: number, bytes: Uint8Array, start: number, end: number): boolean {
  if (facts[FACTS * word + LENGTH] !== end - start) return false
  const place = facts[FACTS * word + PLACE] as number
  for (let i = 0; i < end - start; i++) if (letters[place + i] !== bytes[start + i]) return false
  return true
}

function add(text: string, bytes: Uint8Array, start: number, end: number, hash: number): number {
  const { key, further } = newKeysOf(text.slice(start, end))
  const [first = NONE, ...rest] = further.filter(each => each.key !== '').map(each => keyNumber(each.key))
  const word = words++
  const at = FACTS * word
  if (at + FACTS > facts.length) facts = larger(facts, new Int32Array(2 * facts.length))
  const used = lettersUsed + end - start
  if (used > letters.length) letters = larger(letters, new Uint8Array(2 * used))
  facts[at + HASH] = hash
  facts[at + PLACE] = lettersUsed
  facts[at + LENGTH] = end - start
  facts[at + OWN] = key === '' ? NONE : keyNumber(key)
  facts[at + FURTHER] = first
  facts[at + OTHERS] = rest.length === 0 ? NONE : others.push(rest) - 1
  letters.set(bytes.subarray(start, end), lettersUsed)
  lettersUsed = used
  if (3 * words > slots.length) {
    slots = new Int32Array(2 * slots.length)
    for (let each = 0; each < words; each++) enter(each)
  } else enter(word)
  return word
}

function enter(word: number): void {
  const mask = slots.length - 1
  let slot = spread(facts[FACTS * word + HASH] as number) & mask
  while (slots[slot] !== 0) slot = (slot + 1) & mask
  slots[slot] = word + 1
}

function larger<T extends Int32Array | Uint8Array>(before: T, after: T): T {
  after.set(before)
  return after
}

function forget(): void {
  slots.fill(0)
  words = 0
  lettersUsed = 0
  others.length = 0
  numbers.clear()
  texts = []
  forgotten++
}
