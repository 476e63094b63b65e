import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { AttestationObject } from '@simplewebauthn/server/helpers'
import { CodedError } from '../../model/errors.ts'
import type { AnsweredChallenge, StoredPasskey } from '../../store/sign-in/sign-in.ts'
import type { AuthorizationEnvironment } from '../environment.ts'
import { type ChallengeUse, challengeEnd } from './passkey-challenge.ts'

const MOST_CHARACTERS = 20_000
/** The limits that WebAuthn defines, in base64url characters. */
const LONGEST_ID = 1_364

/** Loaded with the first passkey, because loading takes 0.4 s and would slow down every start. */
const library = () => import('@simplewebauthn/server')
const helpers = () => import('@simplewebauthn/server/helpers')

/** Says the same whatever was wrong, so that nobody learns which passkeys exist. */
export function passkeyRefused(): CodedError {
  const message = 'This passkey was not accepted. Try again, or sign in another way.'
  return new CodedError('passkey_refused', message)
}

interface VerifiedPasskey extends AnsweredChallenge {
  credential_id: string
  counter: number
}

/**
 * Checks a new passkey from the browser: its host, its origin, its challenge, and that the browser verified the user.
 */
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

/** Checks the signature of a known passkey in the same way. */
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

/** Checks the challenge in an answer, and remembers it. */
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

/**
 * Only attestations without certificates are accepted: checking a certificate would mean fetching its revocation list.
 */
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

/**
 * The library refuses by throwing, and an answer of an unexpected shape also causes an error; both are refused alike.
 */
async function refusingAll<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch {
    throw passkeyRefused()
  }
}
