import { hash, randomBytes, randomFillSync } from 'node:crypto'

const BASE32 = 'abcdefghijkmnpqrstuvwxyz23456789'

/** A short random id that is easy to read aloud, such as `cin_` and six characters. */
export function randomId(prefix: string, length: number): string {
  return prefix + Array.from(randomBytes(length), byte => BASE32[byte & 31]).join('')
}

let lastMillisecond = 0
let withinMillisecond = 0

/** An id that sorts by creation time, even among ids that this process created in the same millisecond. */
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

/** Random bytes are drawn for many ids at once, because each draw takes longer than the rest of an id. */
function randomTail(): string {
  if (usedTails === tails.length) {
    randomFillSync(tails)
    usedTails = 0
  }
  usedTails += TAIL_BYTES
  return tails.toString('hex', usedTails - TAIL_BYTES, usedTails)
}

/** The ids of a new store need not follow those of the previous one, whose clock may have run ahead. */
export function startTimesAnew(): void {
  lastMillisecond = 0
}

/** The prefix of ids created at a time; ids from earlier times sort before it. */
export function timePrefix(ms: number): string {
  return ms.toString(36).padStart(9, '0')
}

/** What is stored in place of a secret that the server generated. */
export function hashOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}
