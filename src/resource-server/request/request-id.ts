import { randomFillSync } from 'node:crypto'

const BYTES = 12
const pool = Buffer.alloc(BYTES * 256)
let used = pool.length

/** Random bytes are drawn for many ids at once. */
export function requestId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += BYTES
  return `req_${pool.toString('base64url', used - BYTES, used)}`
}
