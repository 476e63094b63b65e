import {
  createCipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomFillSync,
  timingSafeEqual,
} from 'node:crypto'
import { CodedError } from '../errors.ts'
import type { Json } from '../json.ts'

/** How many bytes of state fit into a cursor itself. */
const STATE_BYTES = 22

/** A state in few bytes: whole numbers as varints, everything else as JSON. Null if it does not fit. */
function packState(state: Json): Buffer | null {
  const numbers = Array.isArray(state) && state.every(isWhole)
  const bytes = numbers ? Buffer.from(state.flatMap(varint)) : Buffer.from(JSON.stringify(state))
  if (bytes.length > STATE_BYTES) return null
  return Buffer.concat([Buffer.of((numbers ? NUMBERS : JSON_TEXT) | bytes.length), bytes])
}

/** A reference to a state that is stored elsewhere. */
function packReference(key: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(REFERENCE | key.length), key])
}

type Unpacked = { state: Json } | { key: string }

function unpack(packed: Buffer): Unpacked {
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

/** Where the next window starts: forward from a position, or backward up to it. */
export interface WindowPosition {
  direction: 'forward' | 'backward'
  position: number
  limit: number
  /** The field's digest, `sha256:<hex>`. The cursor keeps enough of it to detect a changed text. */
  digest: string
}

const VERSION = 1
const PAYLOAD_BYTES = 20
const SEAL_BYTES = 8
const BINDING_BYTES = 12
const PAGE_BINDING_BYTES = 8
const KEY_BYTES = 16
const NONCE_BYTES = 4
const TIME_BYTES = 4
/** A cursor that starts with a dash would look like a flag on a command line. */
const PAGE_MARK = Buffer.of(VERSION)
const PAGE_BYTES = NONCE_BYTES + TIME_BYTES + 1 + STATE_BYTES
const PAGE_CURSOR_BYTES = PAGE_MARK.length + SEAL_BYTES + PAGE_BINDING_BYTES + PAGE_BYTES

/** A page cursor, and the state that must be stored for it if that is too long for 64 characters. */
interface SealedPage {
  cursor: string
  kept: { key: string; state: string } | null
}

/** Seals and opens cursors: opaque, URL-safe, authenticated, and bound to a purpose and a time to live (RF-8). */
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
   * Throws invalid_cursor (malformed or foreign), cursor_expired or stale_cursor; `details` is included in each. A
   * caller that learns the text's digest only by reading passes null, and compares the digest with the prefix that is
   * returned.
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
    if (seconds(now) - payload.readUInt32BE(8) > this.#ttlSeconds) throw expired(details)
    const made = payload.subarray(12)
    if (digest !== null && !made.equals(digestPrefix(digest))) throw stale({ ...details, digest })
    return {
      direction: payload.readUInt8(0) & 1 ? 'backward' : 'forward',
      position: payload.readUIntBE(1, 5),
      limit: payload.readUInt16BE(6),
      digest: digest ?? `sha256:${made.toString('hex')}`,
    }
  }

  /** A cursor of 64 characters. A state that does not fit into it is returned with the key to store it under. */
  sealPage(state: Json, binding: string, now: Date): SealedPage {
    const inside = packState(state)
    const text = JSON.stringify(state)
    const key = inside ? null : this.#digest('kept', Buffer.from(text)).subarray(0, KEY_BYTES)
    const plain = Buffer.alloc(PAGE_BYTES)
    copyNonce(plain)
    plain.writeUInt32BE(seconds(now), NONCE_BYTES)
    ;(key ? packReference(key) : (inside ?? Buffer.alloc(0))).copy(plain, NONCE_BYTES + TIME_BYTES)
    const seal = this.#mac(plain, '', SEAL_BYTES)
    const hidden = this.#cipher(seal, plain)
    const bound = this.#mac(Buffer.concat([seal, hidden]), binding, PAGE_BINDING_BYTES)
    const cursor = Buffer.concat([PAGE_MARK, seal, bound, hidden]).toString('base64url')
    return { cursor, kept: key && { key: key.toString('hex'), state: text } }
  }

  /** Throws invalid_cursor for a cursor that was not issued for this route, scope, filter and order, or that is too old. */
  openPage(cursor: string, binding: string, now: Date): Unpacked {
    const opened = this.#open(cursor, binding, 'cursor')
    if (seconds(now) - opened.issued > this.#ttlSeconds) throw expiredPage()
    return opened.state
  }

  /** Whether a page cursor was issued for this binding, however old it is. */
  isBound(cursor: string, binding: string): boolean {
    const sealed = sealedIn(cursor)
    return sealed !== null && this.#isBoundTo(sealed, binding)
  }

  /** A mark is valid for longer than a page cursor; one that is too old throws cursor_expired. */
  openMark(mark: string, binding: string, now: Date, ttlSeconds: number): Json {
    const opened = this.#open(mark, binding, 'changes_since')
    if (seconds(now) - opened.issued > ttlSeconds || !('state' in opened.state))
      throw expired({ param: 'changes_since' })
    return opened.state.state
  }

  #open(cursor: string, binding: string, param: string): { issued: number; state: Unpacked } {
    const sealed = sealedIn(cursor)
    if (!sealed) throw malformed({ param })
    const { seal, hidden } = sealed
    const plain = this.#cipher(seal, hidden)
    // What is bound was sealed here; of anything else the seal tells whether it was.
    if (!this.#isBoundTo(sealed, binding))
      throw timingSafeEqual(seal, this.#mac(plain, '', SEAL_BYTES))
        ? foreign({ param })
        : malformed({ param })
    return {
      issued: plain.readUInt32BE(NONCE_BYTES),
      state: unpack(plain.subarray(NONCE_BYTES + TIME_BYTES)),
    }
  }

  #isBoundTo({ seal, bound, hidden }: SealedParts, binding: string): boolean {
    return timingSafeEqual(bound, this.#mac(Buffer.concat([seal, hidden]), binding, PAGE_BINDING_BYTES))
  }

  /**
   * Encrypts and decrypts. A page cursor may count changes that its bearer cannot see, so neither its content nor its
   * length may reveal anything, and two cursors with the same state differ (RS-5). The seal depends on a random part
   * and is the nonce.
   */
  #cipher(seal: Buffer, bytes: Buffer): Buffer {
    const cipher = createCipheriv('aes-256-ctr', this.#cipherKey, Buffer.concat([seal, Buffer.alloc(8)]))
    return Buffer.concat([cipher.update(bytes), cipher.final()])
  }

  #mac(payload: Uint8Array, binding: string, bytes: number): Buffer {
    return this.#digest(binding === '' ? 'seal' : `bind:${binding}`, payload).subarray(0, bytes)
  }

  #digest(purpose: string, payload: Uint8Array): Buffer {
    return createHmac('sha256', this.#key).update(purpose).update('\0').update(payload).digest()
  }
}

const nonces = Buffer.alloc(NONCE_BYTES * 256)
let usedNonces = nonces.length

/** Random bytes are drawn for many cursors at once, because each draw takes as long as a seal. */
function copyNonce(target: Buffer): void {
  if (usedNonces === nonces.length) {
    randomFillSync(nonces)
    usedNonces = 0
  }
  usedNonces += NONCE_BYTES
  nonces.copy(target, 0, usedNonces - NONCE_BYTES, usedNonces)
}

interface SealedParts {
  seal: Buffer
  bound: Buffer
  hidden: Buffer
}

/** The parts of a page cursor, not yet checked; null if the text cannot be one. */
function sealedIn(cursor: string): SealedParts | null {
  const bytes = decode(cursor)
  if (bytes[0] !== VERSION || bytes.length !== PAGE_CURSOR_BYTES) return null
  const [bound, hidden] = [1 + SEAL_BYTES, 1 + SEAL_BYTES + PAGE_BINDING_BYTES]
  return {
    seal: bytes.subarray(1, bound),
    bound: bytes.subarray(bound, hidden),
    hidden: bytes.subarray(hidden),
  }
}

function decode(cursor: string): Buffer {
  return /^[A-Za-z0-9_-]{1,64}$/.test(cursor) ? Buffer.from(cursor, 'base64url') : Buffer.alloc(0)
}

function seconds(now: Date): number {
  return Math.floor(now.getTime() / 1000)
}

function digestPrefix(digest: string): Buffer {
  return Buffer.from(digest.slice('sha256:'.length, 'sha256:'.length + 16), 'hex')
}

function malformed(details: Record<string, Json>): CodedError {
  const message = 'This cursor was not issued by this server. Repeat the request without it.'
  return new CodedError('invalid_cursor', message, { reason: 'malformed', ...details })
}

export function foreign(details: Record<string, Json>): CodedError {
  const message =
    'This cursor belongs to another read or another grant. Use it with the request that returned it.'
  return new CodedError('invalid_cursor', message, { reason: 'foreign', ...details })
}

export function stale(details: Record<string, Json>): CodedError {
  const message = 'The text has changed since this cursor was issued. Read it from the start.'
  return new CodedError('stale_cursor', message, details)
}

/** Also used for a position that is no longer stored. */
export function expiredPage(): CodedError {
  return new CodedError('invalid_cursor', 'This cursor has expired. Repeat the request without it.', {
    param: 'cursor',
    reason: 'expired',
  })
}

function expired(details: Record<string, Json>): CodedError {
  return new CodedError('cursor_expired', 'This cursor has expired. Repeat the request without it.', details)
}
