import { CodedError } from '../model/errors.ts'
import { isObject, jsonOrNull } from '../model/json.ts'
import { isLoopback } from '../model/loopback.ts'
import type { Login } from './mail-account.ts'

/** The credentials of an account, as they are sealed. */
export type Secret =
  | { kind: 'password'; password: string }
  | { kind: 'oauth'; token_url: string; client_id: string; client_secret?: string; refresh_token: string }

const PATIENCE_MS = 30_000
const MOST_ANSWER_CHARS = 64 * 1024

/**
 * Parses the credentials from an OAuth provider: a JSON object with the four members, of which `client_secret` may be
 * missing.
 */
export function oauthSecret(text: string): Secret | null {
  const given = parsed(text)
  const { token_url, client_id, client_secret, refresh_token } = given ?? {}
  if (typeof token_url !== 'string' || !isSafe(token_url)) return null
  if (typeof client_id !== 'string' || typeof refresh_token !== 'string') return null
  const secret = typeof client_secret === 'string' ? { client_secret } : {}
  return { kind: 'oauth', token_url, client_id, ...secret, refresh_token }
}

/** A token requested without encryption could be read in transit. */
function isSafe(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/**
 * The credentials of a run. If a provider issues a new refresh token, it must be used the next time: `renew` stores it.
 */
export async function loginOf(
  user: string,
  unsealed: string,
  stop: AbortSignal,
  renew: (unsealed: string) => Promise<unknown>,
): Promise<Login> {
  const secret = JSON.parse(unsealed) as Secret
  if (secret.kind === 'password') return { user, pass: secret.password }
  const answer = await tokenFrom(secret, stop)
  const { access_token, refresh_token } = answer
  if (typeof refresh_token === 'string' && refresh_token !== secret.refresh_token)
    await renew(JSON.stringify({ ...secret, refresh_token }))
  return { user, accessToken: String(access_token) }
}

async function tokenFrom(
  secret: Secret & { kind: 'oauth' },
  stop: AbortSignal,
): Promise<Record<string, unknown>> {
  const { token_url, client_id, client_secret, refresh_token } = secret
  const { host } = new URL(token_url)
  const body = new URLSearchParams({
    ...{ grant_type: 'refresh_token', client_id, refresh_token },
    ...(client_secret === undefined ? {} : { client_secret }),
  })
  const signal = AbortSignal.any([stop, AbortSignal.timeout(PATIENCE_MS)])
  const response = await fetch(token_url, { method: 'POST', body, signal, redirect: 'error' }).catch(
    error => {
      stop.throwIfAborted()
      throw new CodedError(
        'mail_server_unreachable',
        `${host} gives out no token: it does not answer.`,
        {},
        error,
      )
    },
  )
  const answer = parsed((await response.text()).slice(0, MOST_ANSWER_CHARS))
  if (response.ok && typeof answer?.access_token === 'string') return answer
  const reason = typeof answer?.error === 'string' ? answer.error.slice(0, 100) : `status ${response.status}`
  const message = `${host} refused to renew the access token (${reason}). Add the account again with a new one.`
  throw new CodedError('mail_sign_in_refused', message)
}

function parsed(text: string): Record<string, unknown> | null {
  const value = jsonOrNull(text)
  return isObject(value) ? value : null
}
