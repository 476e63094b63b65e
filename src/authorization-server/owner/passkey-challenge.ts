import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { AuthorizationEnvironment } from '../environment.ts'

const NONCE_BYTES = 16
const TIME_BYTES = 8
const MAC_BYTES = 32
export const CHALLENGE_MINUTES = 10

/** What a challenge is for, and the secret of the browser that it was made for. */
export interface ChallengeUse {
  purpose: 'add' | 'sign-in'
  secret: string
}

/** A challenge contains its expiry and a seal, so that nothing is stored for challenges that nobody answers. */
export function newChallenge(env: AuthorizationEnvironment, use: ChallengeUse): string {
  const body = Buffer.alloc(NONCE_BYTES + TIME_BYTES)
  randomBytes(NONCE_BYTES).copy(body)
  body.writeBigUInt64BE(BigInt(env.clock().getTime() + CHALLENGE_MINUTES * 60_000), NONCE_BYTES)
  return Buffer.concat([body, sealOf(env, use, body)]).toString('base64url')
}

/** When the challenge expires; null if it was made for another use or has already expired. */
export function challengeEnd(
  env: AuthorizationEnvironment,
  use: ChallengeUse,
  challenge: string,
): string | null {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length !== NONCE_BYTES + TIME_BYTES + MAC_BYTES) return null
  // Only the canonical encoding is accepted: another one would look like a challenge that was not answered yet.
  if (bytes.toString('base64url') !== challenge) return null
  const body = bytes.subarray(0, NONCE_BYTES + TIME_BYTES)
  if (!timingSafeEqual(sealOf(env, use, body), bytes.subarray(body.length))) return null
  const end = Number(body.readBigUInt64BE(NONCE_BYTES))
  return end > env.clock().getTime() ? new Date(end).toISOString() : null
}

function sealOf(env: AuthorizationEnvironment, { purpose, secret }: ChallengeUse, body: Buffer): Buffer {
  return createHmac('sha256', env.store.sealingKey)
    .update(`passkey-challenge\0${purpose}\0${secret}\0`)
    .update(body)
    .digest()
}
