import { html } from 'hono/html'
import { CodedError } from '../../model/errors.ts'
import { notice } from '../../pages/forms.ts'
import { pageResponse } from '../../pages/layout.ts'
import { secret } from '../../store/sign-in/sessions.ts'
import { listPasskeys, type StoredPasskey } from '../../store/sign-in/sign-in.ts'
import type { AuthorizationEnvironment } from '../environment.ts'
import { browserName } from './browser-name.ts'
import { readForm } from './owner-form.ts'
import { askedSecret, askingCookie, safeReturn, signedIn } from './owner-session.ts'
import { CHALLENGE_MINUTES, newChallenge, passkeyForm, passkeyHost } from './passkey-challenge.ts'
import { SCRIPT_PATH } from './passkey-script.ts'
import { passkeyRefused, verifyKnownPasskey } from './verify-passkey.ts'

/** The passkeys that work at this address. */
export async function usablePasskeys(env: AuthorizationEnvironment): Promise<StoredPasskey[]> {
  const host = passkeyHost(env.publicUrl)
  if (host === null) return []
  return (await listPasskeys(env.store.database, env.store.owner_id)).filter(({ rp_id }) => rp_id === host)
}

/** The page does not list the existing passkeys: the browser offers those it has. */
export async function showPasskeySignIn(env: AuthorizationEnvironment, request: Request): Promise<Response> {
  const { searchParams } = new URL(request.url)
  return passkeySignInPage(env, request, safeReturn(searchParams.get('return_to')))
}

export async function signInWithPasskey(env: AuthorizationEnvironment, request: Request): Promise<Response> {
  const form = await readForm(env, request)
  const back = safeReturn(form.get('return_to'))
  try {
    const asked = askedSecret(env, request)
    if (asked === null) throw passkeyRefused()
    const use = { purpose: 'sign-in', secret: asked } as const
    const verified = await verifyKnownPasskey(env, await usablePasskeys(env), use, form.get('credential'))
    const { owner_id } = env.store
    const now = env.clock().toISOString()
    const arrival = { owner_id, browser: browserName(request), now }
    const session = await env.store.writer.call('signInByPasskey', { ...arrival, ...verified })
    if (session === null) throw passkeyRefused()
    return signedIn(env, session, back)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return passkeySignInPage(env, request, back, error)
  }
}

function passkeySignInPage(
  env: AuthorizationEnvironment,
  request: Request,
  back: string,
  error?: CodedError,
): Promise<Response> {
  const host = passkeyHost(env.publicUrl)
  const asked = askedSecret(env, request) ?? secret()
  const without = html`Passkeys do not work here. <a href="/sign-in?return_to=${encodeURIComponent(back)}">Sign in another way</a>.`
  const form =
    host === null
      ? html`<p>${without}</p>`
      : passkeyForm({
          action: '/sign-in/passkey',
          options: {
            challenge: newChallenge(env, { purpose: 'sign-in', secret: asked }),
            rpId: host,
            userVerification: 'required',
            timeout: CHALLENGE_MINUTES * 60_000,
          },
          fields: [['return_to', back]],
          body: '',
          button: 'Use a passkey',
          without,
        })
  const body = html`<div class="card stack"><h1>Sign in with a passkey</h1>
${error ? notice('danger', error.message) : ''}
${form}</div>`
  const script = host === null ? {} : { script: env.publicUrl + SCRIPT_PATH }
  return pageResponse(
    { title: 'Sign in', body, width: 'narrow', ...script },
    { status: error?.status ?? 200, headers: { 'Set-Cookie': askingCookie(env.publicUrl, asked) } },
  )
}
