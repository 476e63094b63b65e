import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { CodedError } from '../errors.ts'
import { type Json, parseJson } from '../json.ts'

/** Where the next window starts: forward from a position, or backward up to it. */
export interface WindowPosition {
  direction: 'forward' | 'backward'
  position: number
  limit: number
  /** The field's digest, `sha256:<hex>`; the cursor keeps enough of it to notice a changed text. */
  digest: string
}

const VERSION = 1
const PAYLOAD_BYTES = 20
const SEAL_BYTES = 8
const BINDING_BYTES = 12
const NONCE_BYTES = 16
const PADDING_CHARS = 64
/** A cursor that started with a dash would look like a flag on a command line. */
const PAGE_MARK = Buffer.of(VERSION)

/** Seals and opens cursors: opaque, URL-safe, authenticated, bound to a purpose and a time to live (RF-8). */
export class Cursors {
  readonly #key: KeyObject
  readonly #cipherKey: KeyObject
  readonly #ttlSeconds: number

  constructor(key: Uint8Array, ttlSeconds: number) {
    this.#key = createSecretKey(key)
    this.#cipherKey = createSecretKey(createHmac('sha256', key).update('page cursors').digest())
    this.#ttlSeconds = ttlSeconds
  }

  sealWindow(at: WindowPosition, binding: string, now: Date): string {
    const payload = Buffer.alloc(PAYLOAD_BYTES)
    payload.writeUInt8((VERSION << 1) | (at.direction === 'backward' ? 1 : 0), 0)
    payload.writeUIntBE(at.position, 1, 5)
    payload.writeUInt16BE(at.limit, 6)
    payload.writeUInt32BE(seconds(now), 8)
    digestPrefix(at.digest).copy(payload, 12)
    return Buffer.concat([
      payload,
      this.#mac(payload, '', SEAL_BYTES),
      this.#mac(payload, binding, BINDING_BYTES),
    ]).toString('base64url')
  }

  /**
   * Throws invalid_cursor (malformed, foreign), cursor_expired or stale_cursor; `details` goes into each. A caller that
   * learns the text's digest only by reading passes null, and compares it with the prefix that is returned.
   */
  openWindow(
    cursor: string,
    binding: string,
    digest: string | null,
    now: Date,
    details: Record<string, Json>,
  ): WindowPosition {
    const bytes = decode(cursor)
    const payload = bytes.subarray(0, PAYLOAD_BYTES)
    const seal = bytes.subarray(PAYLOAD_BYTES, PAYLOAD_BYTES + SEAL_BYTES)
    const bound = bytes.subarray(PAYLOAD_BYTES + SEAL_BYTES)
    const whole = bytes.length === PAYLOAD_BYTES + SEAL_BYTES + BINDING_BYTES
    if (!whole || !timingSafeEqual(seal, this.#mac(payload, '', SEAL_BYTES))) throw malformed(details)
    if (!timingSafeEqual(bound, this.#mac(payload, binding, BINDING_BYTES))) throw foreign(details)
    this.#assertFresh(payload.readUInt32BE(8), now, details)
    const made = payload.subarray(12)
    if (digest !== null && !made.equals(digestPrefix(digest))) throw stale({ ...details, digest })
    return {
      direction: payload.readUInt8(0) & 1 ? 'backward' : 'forward',
      position: payload.readUIntBE(1, 5),
      limit: payload.readUInt16BE(6),
      digest: digest ?? `sha256:${made.toString('hex')}`,
    }
  }

  sealPage(state: Json, binding: string, now: Date): string {
    const payload = this.#encrypt(JSON.stringify([seconds(now), state]))
    const head = Buffer.concat([
      this.#mac(payload, '', SEAL_BYTES),
      this.#mac(payload, binding, BINDING_BYTES),
    ])
    return Buffer.concat([PAGE_MARK, head, payload]).toString('base64url')
  }

  /** Throws invalid_cursor for a cursor that was not issued for this route, scope, filter and order, or that is too old. */
  openPage(cursor: string, binding: string, now: Date): Json {
    const opened = this.#open(cursor, binding, 'cursor')
    if (seconds(now) - opened.issued > this.#ttlSeconds) {
      throw new CodedError('invalid_cursor', 'This cursor has expired. Repeat the request without it.', {
        param: 'cursor',
        reason: 'expired',
      })
    }
    return opened.state
  }

  /** A mark that lives longer than a page cursor; too old is cursor_expired. */
  openMark(mark: string, binding: string, now: Date, ttlSeconds: number): Json {
    const opened = this.#open(mark, binding, 'changes_since')
    if (seconds(now) - opened.issued > ttlSeconds) throw expired({ param: 'changes_since' })
    return opened.state
  }

  #open(cursor: string, binding: string, param: string): { issued: number; state: Json } {
    const decoded = decode(cursor)
    const bytes = decoded.subarray(PAGE_MARK.length)
    const head = SEAL_BYTES + BINDING_BYTES
    const payload = bytes.subarray(head)
    const sealed =
      decoded[0] === VERSION &&
      bytes.length > head &&
      timingSafeEqual(bytes.subarray(0, SEAL_BYTES), this.#mac(payload, '', SEAL_BYTES))
    if (!sealed) throw malformed({ param })
    if (!timingSafeEqual(bytes.subarray(SEAL_BYTES, head), this.#mac(payload, binding, BINDING_BYTES))) {
      throw foreign({ param })
    }
    const [issued, state] = parseJson(this.#decrypt(payload)) as [number, Json]
    return { issued, state }
  }

  #assertFresh(issued: number, now: Date, details: Record<string, Json>): void {
    if (seconds(now) - issued > this.#ttlSeconds) throw expired(details)
  }

  /** A page cursor may count changes that its bearer cannot see, so neither its content nor its length reveals anything (RS-5). */
  #encrypt(text: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-ctr', this.#cipherKey, nonce)
    const padded = text.padEnd(Math.ceil(text.length / PADDING_CHARS) * PADDING_CHARS)
    return Buffer.concat([nonce, cipher.update(padded), cipher.final()])
  }

  #decrypt(payload: Buffer): string {
    const decipher = createDecipheriv('aes-256-ctr', this.#cipherKey, payload.subarray(0, NONCE_BYTES))
    return Buffer.concat([decipher.update(payload.subarray(NONCE_BYTES)), decipher.final()]).toString()
  }

  #mac(payload: Uint8Array, binding: string, bytes: number): Buffer {
    const purpose = binding === '' ? 'seal' : `bind:${binding}`
    return createHmac('sha256', this.#key)
      .update(purpose)
      .update('\0')
      .update(payload)
      .digest()
      .subarray(0, bytes)
  }
}

function decode(cursor: string): Buffer {
  return /^[A-Za-z0-9_-]{1,16384}$/.test(cursor) ? Buffer.from(cursor, 'base64url') : Buffer.alloc(0)
}

function seconds(now: Date): number {
  return Math.floor(now.getTime() / 1000)
}

function digestPrefix(digest: string): Buffer {
  return Buffer.from(digest.slice('sha256:'.length, 'sha256:'.length + 16), 'hex')
}

function malformed(details: Record<string, Json>): CodedError {
  return new CodedError(
    'invalid_cursor',
    'This cursor was not issued by this server. Repeat the request without it.',
    {
      reason: 'malformed',
      ...details,
    },
  )
}

function foreign(details: Record<string, Json>): CodedError {
  return new CodedError(
    'invalid_cursor',
    'This cursor belongs to another read or another grant. Use it with the request that returned it.',
    { reason: 'foreign', ...details },
  )
}

export function stale(details: Record<string, Json>): CodedError {
  const message = 'The text has changed since this cursor was issued. Read it from the start.'
  return new CodedError('stale_cursor', message, details)
}

function expired(details: Record<string, Json>): CodedError {
  return new CodedError('cursor_expired', 'This cursor has expired. Repeat the request without it.', details)
}
