import type { Value } from '../database.ts'

/** The types of values that can be sent as a list, with their numbers in every PostgreSQL. */
const TYPES = { text: 25, bigint: 20, bytea: 17, tsvector: 3614 } as const
export type ListType = keyof typeof TYPES

const HEAD_BYTES = 20
const SIZE_BYTES = 4
const NUMBER_BYTES = 8
const NULL = -1
const SPACE = 0x20
/** The end of a word, and its number of positions, which is none. */
const WORD_END_BYTES = 3
const TWO_TO_32 = 2 ** 32

/** Kept for the next list up to this size: the memory of a new one for each would cause full collections. */
const MOST_KEPT_BYTES = 2 * 1024 * 1024
let kept = Buffer.alloc(0)

function bytesFor(size: number): Buffer {
  if (size > MOST_KEPT_BYTES) return Buffer.allocUnsafe(size)
  if (size > kept.length) kept = Buffer.allocUnsafeSlow(Math.min(2 * size, MOST_KEPT_BYTES))
  return kept.subarray(0, size)
}

/**
 * A list that is sent as PostgreSQL's protocol has it. As text, every quote in it would have to be escaped here and read
 * there. The words of a tsvector are given in UTF-8, with a space between them and none twice.
 */
export class PostgresList {
  readonly #type: ListType
  readonly #values: readonly Value[]

  constructor(type: ListType, values: readonly Value[]) {
    this.#type = type
    this.#values = values
  }

  /** Called by the driver, which copies the bytes at once. */
  toPostgres(): Buffer {
    return encoded(this.#type, this.#values)
  }
}

function encoded(type: ListType, values: readonly Value[]): Buffer {
  const sizes = Int32Array.from(values, value => sizeOf(type, value))
  const size = sizes.reduce((sum, each) => sum + SIZE_BYTES + Math.max(each, 0), HEAD_BYTES)
  const list = bytesFor(size)
  let at = 0
  for (const number of [1, 1, TYPES[type], values.length, 1]) at = list.writeInt32BE(number, at)
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as Value
    const bytes = sizes[i] as number
    at = list.writeInt32BE(bytes, at)
    if (value === null) continue
    if (typeof value === 'string') list.write(value, at)
    else if (typeof value === 'number') writeNumber(value, list, at)
    else if (type === 'tsvector') writeWords(value, list, at)
    else list.set(value, at)
    at += bytes
  }
  return list
}

function sizeOf(type: ListType, value: Value): number {
  if (value === null) return NULL
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value === 'number') return NUMBER_BYTES
  if (type !== 'tsvector') return value.length
  return SIZE_BYTES + value.length + WORD_END_BYTES + (WORD_END_BYTES - 1) * spacesIn(value)
}

function spacesIn(words: Uint8Array): number {
  let spaces = 0
  for (let i = 0; i < words.length; i++) if (words[i] === SPACE) spaces++
  return spaces
}

function writeNumber(value: number, list: Buffer, at: number): void {
  const high = Math.floor(value / TWO_TO_32)
  list.writeInt32BE(high, at)
  list.writeUInt32BE(value - high * TWO_TO_32, at + 4)
}

function writeWords(words: Uint8Array, list: Buffer, start: number): void {
  let at = start + SIZE_BYTES
  let count = 0
  for (let i = 0; i <= words.length; i++) {
    const byte = words[i] ?? SPACE
    if (byte !== SPACE) list[at++] = byte
    else {
      list[at++] = 0
      list[at++] = 0
      list[at++] = 0
      count++
    }
  }
  list.writeInt32BE(count, start)
}
