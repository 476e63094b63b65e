import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { AttestationObject } from '@simplewebauthn/server/helpers'
import { CodedError } from '../../model/errors.ts'
import type { AnsweredChallenge, StoredPasskey } from '../../store/sign-in/passkeys.ts'
import type { AuthorizationEnvironment } from '../environment.ts'
import { type ChallengeUse, challengeEnd } from './passkey-challenge.ts'

const MOST_CHARACTERS = 20_000
/** As WebAuthn bounds them, in base64url. */
const LONGEST_ID = 1_364

/** Loaded when the first passkey comes: it takes 0.4 s, which every start would pay for. */
const library = () => import('@simplewebauthn/server')
const helpers = () => import('@simplewebauthn/server/helpers')

/** Says the same whatever was wrong, so that nobody learns which passkeys there are. */
export function passkeyRefused(): CodedError {
  const message = 'This passkey was not accepted. Try again, or sign in another way.'
  return new CodedError('passkey_refused', message)
}

export interface VerifiedPasskey extends AnsweredChallenge {
  credential_id: string
  counter: number
}

/** What a browser made for a new passkey, checked: its host, its origin, its challenge, and that it verified a person. */
export async function verifyNewPasskey(
  env: AuthorizationEnvironment,
  host: string,
  use: ChallengeUse,
  sent: string | null,
): Promise<VerifiedPasskey & { public_key: string }> {
  const { verifyRegistrationResponse } = await library()
  const { decodeAttestationObject } = await helpers()
  return refusingAll(async () => {
    const response = parsed<RegistrationResponseJSON>(sent)
    assertNoCertificates(decodeAttestationObject(bytesOf(response.response.attestationObject)))
    const answered = challengeCheck(env, use)
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: answered.isExpected,
      expectedOrigin: env.publicUrl,
      expectedRPID: host,
      requireUserVerification: true,
    })
    if (!verified) throw passkeyRefused()
    const { id, publicKey, counter } = registrationInfo.credential
    if (id.length > LONGEST_ID) throw passkeyRefused()
    return {
      ...answered.get(),
      credential_id: id,
      public_key: Buffer.from(publicKey).toString('base64url'),
      counter,
    }
  })
}

/** What a known passkey signed, checked in the same way. */
export async function verifyKnownPasskey(
  env: AuthorizationEnvironment,
  passkeys: readonly StoredPasskey[],
  use: ChallengeUse,
  sent: string | null,
): Promise<VerifiedPasskey> {
  const { verifyAuthenticationResponse } = await library()
  return refusingAll(async () => {
    const response = parsed<AuthenticationResponseJSON>(sent)
    const passkey = passkeys.find(({ credential_id }) => credential_id === response.id)
    if (!passkey) throw passkeyRefused()
    const { credential_id, public_key, counter, rp_id } = passkey
    const answered = challengeCheck(env, use)
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: answered.isExpected,
      expectedOrigin: env.publicUrl,
      expectedRPID: rp_id,
      credential: { id: credential_id, publicKey: bytesOf(public_key), counter },
      requireUserVerification: true,
    })
    if (!verified) throw passkeyRefused()
    return { ...answered.get(), credential_id, counter: authenticationInfo.newCounter }
  })
}

/** Checks the challenge that an answer names, and remembers it. */
function challengeCheck(env: AuthorizationEnvironment, use: ChallengeUse) {
  let found: AnsweredChallenge | null = null
  return {
    isExpected(challenge: string): boolean {
      const expires_at = challengeEnd(env, use, challenge)
      found = expires_at === null ? null : { challenge, expires_at }
      return found !== null
    },
    get(): AnsweredChallenge {
      if (found === null) throw passkeyRefused()
      return found
    },
  }
}

/** Only statements without certificates are looked at: to check a certificate, its revocation list would be fetched. */
function assertNoCertificates(decoded: AttestationObject): void {
  const format = decoded.get('fmt')
  if (format === 'none') return
  if (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined) return
  throw passkeyRefused()
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'base64url'))
}

function parsed<T>(sent: string | null): T {
  if (sent === null || sent.length > MOST_CHARACTERS) throw passkeyRefused()
  return JSON.parse(sent) as T
}

/** The library refuses by throwing, and so does whatever meets an answer of another shape. */
async function refusingAll<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch {
    throw passkeyRefused()
  }
}
