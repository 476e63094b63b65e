import type { Json } from '../json.ts'

/** How many bytes of state fit into a cursor itself. */
export const STATE_BYTES = 22

/** A state in few bytes: whole numbers as varints, everything else as JSON. Null if it does not fit. */
export function packState(state: Json): Buffer | null {
  const numbers = Array.isArray(state) && state.every(isWhole)
  const bytes = numbers ? Buffer.from(state.flatMap(varint)) : Buffer.from(JSON.stringify(state))
  if (bytes.length > STATE_BYTES) return null
  return Buffer.concat([Buffer.of((numbers ? NUMBERS : JSON_TEXT) | bytes.length), bytes])
}

/** A reference to a state that is stored elsewhere. */
export function packReference(key: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(REFERENCE | key.length), key])
}

export type Unpacked = { state: Json } | { key: string }

export function unpack(packed: Buffer): Unpacked {
  const first = packed[0] ?? 0
  const bytes = packed.subarray(1, 1 + (first & LENGTH))
  const kind = first & ~LENGTH
  if (kind === REFERENCE) return { key: bytes.toString('hex') }
  return { state: kind === NUMBERS ? numbersOf(bytes) : (JSON.parse(bytes.toString()) as Json) }
}

const LENGTH = 0x1f
const NUMBERS = 0x20
const JSON_TEXT = 0x40
const REFERENCE = 0x60

function isWhole(value: Json): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return [...bytes, rest]
}

function numbersOf(bytes: Buffer): number[] {
  const numbers: number[] = []
  let value = 0
  let scale = 1
  for (const byte of bytes) {
    value += (byte & 0x7f) * scale
    scale *= 0x80
    if (byte > 0x7f) continue
    numbers.push(value)
    value = 0
    scale = 1
  }
  return numbers
}
