import { hash, randomBytes, randomFillSync } from 'node:crypto'

const BASE32 = 'abcdefghijkmnpqrstuvwxyz23456789'

/** A short random id that is easy to read aloud: `cin_` and six characters, say. */
export function randomId(prefix: string, length: number): string {
  return prefix + Array.from(randomBytes(length), byte => BASE32[byte & 31]).join('')
}

let lastMillisecond = 0
let withinMillisecond = 0

/** An id that sorts by the time it was made, also among ids of the same millisecond of this process. */
export function timeOrderedId(now: Date): string {
  const ms = Math.max(now.getTime(), lastMillisecond)
  withinMillisecond = ms === lastMillisecond ? withinMillisecond + 1 : 0
  lastMillisecond = ms
  const order = withinMillisecond.toString(36).padStart(4, '0')
  return timePrefix(ms) + order + randomTail()
}

const TAIL_BYTES = 4
const tails = Buffer.alloc(TAIL_BYTES * 256)
let usedTails = tails.length

/** Random bytes are drawn for many ids at once: each draw takes longer than the rest of an id. */
function randomTail(): string {
  if (usedTails === tails.length) {
    randomFillSync(tails)
    usedTails = 0
  }
  usedTails += TAIL_BYTES
  return tails.toString('hex', usedTails - TAIL_BYTES, usedTails)
}

/** The ids of another store need not follow those of the one before, whose clock may have run ahead. */
export function startTimesAnew(): void {
  lastMillisecond = 0
}

/** What ids of a time begin with; ids of an earlier time sort before it. */
export function timePrefix(ms: number): string {
  return ms.toString(36).padStart(9, '0')
}

/** What is stored in place of a secret that the server made. */
export function hashOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}
