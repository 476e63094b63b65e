import { html } from 'hono/html'
import { CodedError } from '../../model/errors.ts'
import { errorHeaders } from '../../pages/error-page.ts'
import { hidden, notice, refusal } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import { readPassphrase } from '../../store/sign-in/sign-in.ts'
import type { AuthorizationEnvironment } from '../environment.ts'
import { browserName } from './browser-name.ts'
import { readForm } from './owner-form.ts'
import { ownerSession, safeReturn, seeOther, signedIn, waitingCookie, waitingPage } from './owner-session.ts'
import { usablePasskeys } from './passkey-sign-in.ts'
import { verifyPassphrase } from './passphrase.ts'

/** Requires a click even with a link, so that programs that preview links do not use them up. */
export async function showSignIn(env: AuthorizationEnvironment, request: Request): Promise<Response> {
  const { searchParams } = new URL(request.url)
  const link = searchParams.get('link')
  if (link !== null)
    return linkPage(link, safeReturn(searchParams.get('return_to') ?? waitingPage(env, request)))
  const back = safeReturn(searchParams.get('return_to'))
  if (await ownerSession(env, request)) return seeOther(back)
  const told = searchParams.has('signed_out') ? SIGNED_OUT : ''
  return passphrasePage(env, back, told, { 'Set-Cookie': waitingCookie(env.publicUrl, back) })
}

const SIGNED_OUT = notice('good', 'You are signed out. What apps may read has not changed.')

export async function signIn(env: AuthorizationEnvironment, request: Request): Promise<Response> {
  const form = await readForm(env, request)
  const back = safeReturn(form.get('return_to'))
  const link = form.get('link')
  const { owner_id } = env.store
  const now = env.clock().toISOString()
  const arrival = { owner_id, browser: browserName(request), now }
  if (link !== null) {
    const secret = await env.store.writer.call('signInByLink', { ...arrival, link })
    if (secret !== null) return signedIn(env, secret, back)
    // A page that is reloaded or sent twice sends the same link again.
    return (await ownerSession(env, request)) ? seeOther(back) : linkUsed(env)
  }
  const passphrase = form.get('passphrase') ?? ''
  try {
    const stored = await env.store.writer.call('beginPassphraseAttempt', { owner_id, now })
    if (!(await verifyPassphrase(passphrase, stored, env.passphraseCost)))
      throw new CodedError('wrong_passphrase', 'That is not the passphrase.')
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return passphrasePage(env, back, notice('danger', error.message), errorHeaders(error), error.status)
  }
  const secret = await env.store.writer.call('signInByPassphrase', arrival)
  return signedIn(env, secret, back)
}

function linkUsed({ spelled }: AuthorizationEnvironment): Promise<Response> {
  const title = 'This link no longer works'
  const { code, status, message } = new CodedError(
    'link_used',
    'A sign-in link works once and for half an hour. Run this where Footnote runs to make a new one:',
  )
  const next = html`<pre class="copy" tabindex="0">${spelled('footnote sign-in-link', 'anyone')}</pre>`
  return pageResponse({ title, body: refusal({ title, message, code, next }), width: 'narrow' }, { status })
}

function linkPage(link: string, back: string): Promise<Response> {
  const body = html`<form class="card stack" method="post" action="/sign-in">
<h1>Sign in</h1>
<p>This link signs this browser in as the owner of this Footnote. It works once.</p>
${hidden({ link, return_to: back })}
<div class="actions"><button class="primary" type="submit">Sign in on this browser</button></div>
</form>`
  return pageResponse({ title: 'Sign in', body, width: 'narrow' })
}

async function passphrasePage(
  env: AuthorizationEnvironment,
  back: string,
  told: Html | '',
  headers: Record<string, string>,
  status = 200,
): Promise<Response> {
  const hasPassphrase = (await readPassphrase(env.store.database, env.store.owner_id)) !== null
  const hasPasskey = (await usablePasskeys(env)).length > 0
  const query = new URLSearchParams({ return_to: back })
  const passkey = hasPasskey
    ? html`<p><a class="button" href="/sign-in/passkey?${query.toString()}">Sign in with a passkey</a></p>`
    : ''
  const form = html`<form class="card stack" method="post" action="/sign-in">
<h1>Sign in</h1>
${told}
<div class="stack-tight">
<label class="line" for="passphrase">Passphrase</label>
<input type="password" id="passphrase" name="passphrase" autocomplete="current-password" required autofocus>
</div>
${hidden({ return_to: back })}
<div class="actions"><button class="primary" type="submit">Sign in</button></div>
${passkey}<p class="hint">Forgotten? Run <code>${env.spelled('footnote sign-in-link', 'anyone')}</code> where Footnote runs, and open the link.</p>
</form>`
  const start = html`<div class="card stack"><h1>Sign in</h1>
${told}
${passkey}<p>No passphrase is set yet. Run this where Footnote runs, and open the link it prints in this browser:</p>
<pre class="copy" tabindex="0">${env.spelled('footnote sign-in-link', 'anyone')}</pre>
${back === '/' ? '' : html`<p class="hint">The link then takes you back to the page that you wanted to open.</p>`}</div>`
  const body = hasPassphrase ? form : start
  return pageResponse({ title: 'Sign in', body, width: 'narrow' }, { status, headers })
}
