import { hash } from 'node:crypto'

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
