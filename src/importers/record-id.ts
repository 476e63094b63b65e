import { createHash } from 'node:crypto'

const BASE32 = 'abcdefghijkmnpqrstuvwxyz23456789'
const BITS = 80

/** A short, safe and stable record id: 16 letters and digits that stand for the parts, in their order. */
export function recordIdOf(...parts: string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part)
  return idOfHash(hash.digest())
}

/** The same for a hash that was made elsewhere. */
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

/**
 * The id of an item whose format has none. `ordinal` tells items apart that are equal in everything else: count them
 * in the order of the source, from 0.
 */
export function contentIdOf(item: {
  stream: string
  sender: string
  time: string
  body: string
  ordinal: number
}): string {
  return recordIdOf(item.stream, item.sender, item.time, normalised(item.body), String(item.ordinal))
}

/** What stays the same when a text is written by another version of the exporting program. */
function normalised(body: string): string {
  return body
    .normalize('NFC')
    .replace(/\r\n?/g, '\n')
    .replace(/[\u200e\u200f\u202a-\u202e\ufeff]/g, '')
    .replace(/[^\S\n]+/g, ' ')
    .trim()
}
