import { html } from 'hono/html'
import { CodedError } from '../../model/errors.ts'
import { hidden, notice } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import { Times } from '../../pages/times.ts'
import { listPasskeys, type StoredPasskey } from '../../store/sign-in/sign-in.ts'
import type { AuthorizationEnvironment } from '../environment.ts'
import { browserName } from './browser-name.ts'
import { readOwnerForm } from './owner-form.ts'
import { type OwnerSession, requireOwner } from './owner-session.ts'
import { CHALLENGE_MINUTES, newChallenge, passkeyForm, passkeyHost } from './passkey-challenge.ts'
import { SCRIPT_PATH } from './passkey-script.ts'
import { passkeyRefused, verifyNewPasskey } from './verify-passkey.ts'

const LONGEST_NAME = 60
/** Ed25519, ES256 and RS256, as COSE numbers. */
const ALGORITHMS = [-8, -7, -257]

export async function showPasskeys(env: AuthorizationEnvironment, request: Request): Promise<Response> {
  const session = await requireOwner(env, request)
  if (session instanceof Response) return session
  return passkeysPage(env, request, session)
}

/** Adds the passkey that the browser created, or removes the one named. */
export async function changePasskeys(env: AuthorizationEnvironment, request: Request): Promise<Response> {
  const sent = await readOwnerForm(env, request)
  if (sent instanceof Response) return sent
  const { session, form } = sent
  const credential_id = form.get('remove')
  if (credential_id !== null) {
    const now = env.clock().toISOString()
    await env.store.writer.call('removePasskey', { owner_id: session.owner_id, credential_id, now })
    return passkeysPage(env, request, session, 'The passkey was removed. It can no longer sign you in.')
  }
  try {
    await addSent(env, session, form)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return passkeysPage(env, request, session, error, form.get('name'))
  }
  return passkeysPage(env, request, session, 'The passkey was added. You can sign in with it now.')
}

async function addSent(
  env: AuthorizationEnvironment,
  { owner_id, secret }: OwnerSession,
  form: URLSearchParams,
): Promise<void> {
  const host = passkeyHost(env.publicUrl)
  if (host === null) throw passkeyRefused()
  const name = (form.get('name') ?? '').trim()
  if (name === '' || name.length > LONGEST_NAME) {
    const message = `Give the passkey a name of at most ${LONGEST_NAME} characters.`
    throw new CodedError('invalid_request', message, { param: 'name' })
  }
  const use = { purpose: 'add', secret } as const
  const verified = await verifyNewPasskey(env, host, use, form.get('credential'))
  const now = env.clock().toISOString()
  const passkey = { owner_id, rp_id: host, name, ...verified, now }
  if (!(await env.store.writer.call('addPasskey', passkey))) throw passkeyRefused()
}

async function passkeysPage(
  env: AuthorizationEnvironment,
  request: Request,
  session: OwnerSession,
  result?: CodedError | string,
  entered: string | null = null,
): Promise<Response> {
  const host = passkeyHost(env.publicUrl)
  const passkeys = await listPasskeys(env.store.database, session.owner_id)
  const times = new Times(env.timeZone, env.clock())
  const body = html`<div class="stack">
<header class="stack-tight"><p class="small"><a href="/settings">Settings</a></p><h1>Passkeys</h1>
<p class="lede">Sign in with your fingerprint, your face or the code of your device. Footnote stores only the public key.</p></header>
${typeof result === 'string' ? notice('good', result) : ''}
${result instanceof CodedError ? notice('danger', result.message) : ''}
<div class="card stack"><h2>Your passkeys</h2>
${
  passkeys.length === 0
    ? html`<p class="soft">There are none yet.</p>`
    : html`<ul class="rows">${passkeys.map(each => passkeyRow({ ...each, name: env.shown(each.name) }, times, session.csrf, host))}</ul>`
}</div>
<div class="card stack"><h2>Add a passkey</h2>${host === null ? noHost(env) : addForm(env, entered ?? browserName(request) ?? '', session, host, passkeys)}</div>
</div>`
  const status = result instanceof CodedError ? result.status : 200
  const script = host === null ? {} : { script: env.publicUrl + SCRIPT_PATH }
  return pageResponse({ title: 'Passkeys', body, section: 'settings', ...script }, { status })
}

function passkeyRow(
  { credential_id, name, rp_id, created_at, used_at }: StoredPasskey,
  times: Times,
  csrf: string,
  host: string | null,
): Html {
  const used = used_at === null ? 'not used yet' : `last used ${times.ago(used_at)}`
  const elsewhere = rp_id === host ? '' : `, works at ${rp_id} only`
  return html`<li class="head"><span>${name} <span class="soft small">added ${times.day(created_at)}, ${used}${elsewhere}</span></span>
<form method="post" action="/settings/passkeys">${hidden({ csrf })}<button type="submit" class="danger" name="remove"
 value="${credential_id}" aria-label="Remove the passkey ${name}">Remove</button></form></li>`
}

function noHost(env: AuthorizationEnvironment): Html {
  const port = new URL(env.publicUrl).port
  return html`<p>Browsers allow passkeys only at a name over https, or at <code>localhost</code>, and this Footnote is at
${env.shown(env.publicUrl)}. <a href="/settings/server#public-url">Change its address</a>, or start it with <code class="flag">--public-url</code>: for example
<code>http://localhost${port === '' ? '' : `:${port}`}</code>, and open it there.</p>`
}

function addForm(
  env: AuthorizationEnvironment,
  name: string,
  { owner_id, secret, csrf }: OwnerSession,
  host: string,
  passkeys: readonly StoredPasskey[],
): Html {
  const known = passkeys.filter(({ rp_id }) => rp_id === host)
  return passkeyForm({
    action: '/settings/passkeys',
    options: {
      challenge: newChallenge(env, { purpose: 'add', secret }),
      rp: { id: host, name: 'Footnote' },
      user: {
        id: Buffer.from(owner_id).toString('base64url'),
        name: host,
        displayName: `Footnote at ${host}`,
      },
      pubKeyCredParams: ALGORITHMS.map(alg => ({ type: 'public-key', alg })),
      excludeCredentials: known.map(({ credential_id }) => ({ type: 'public-key', id: credential_id })),
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
      timeout: CHALLENGE_MINUTES * 60_000,
    },
    fields: [['csrf', csrf]],
    body: html`<div class="stack-tight"><label class="line" for="name">Name</label>
<input id="name" name="name" required maxlength="${LONGEST_NAME}" value="${name}" aria-describedby="name-hint">
<p class="hint" id="name-hint">A name to recognise it by.</p></div>`,
    button: 'Add a passkey',
    without:
      'Adding a passkey needs a browser that has them, with JavaScript on. Everything else works without.',
  })
}
