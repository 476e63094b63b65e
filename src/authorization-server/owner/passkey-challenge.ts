import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { html } from 'hono/html'
import { hidden } from '../../pages/forms.ts'
import type { Html } from '../../pages/layout.ts'
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

/** The host that passkeys are created for; null if browsers allow none: for an IP address, or without https. */
export function passkeyHost(publicUrl: string): string | null {
  const { protocol, hostname } = new URL(publicUrl)
  if (hostname.startsWith('[') || isIP(hostname) !== 0) return null
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  return protocol === 'https:' || isLocal ? hostname : null
}

interface PasskeyForm {
  action: string
  /** The WebAuthn options for the browser; bytes in base64url. */
  options: object
  fields: [name: string, value: string][]
  /** What the owner fills in. */
  body: Html | string
  button: string
  /** What to do if passkeys are not supported. */
  without: Html | string
}

/** A form that the passkey script shows, fills in and submits. */
export function passkeyForm({ action, options, fields, body, button, without }: PasskeyForm): Html {
  return html`<p class="notice danger" id="passkey-problem" role="alert" hidden></p>
<p id="passkey-without">${without}</p>
<form class="stack" method="post" action="${action}" data-passkey="${JSON.stringify(options)}" hidden>
${body}${hidden([...fields, ['credential', '']])}
<div class="actions"><button class="primary" type="submit">${button}</button></div>
</form>`
}
