import { html } from 'hono/html'
import { counted } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import { hidden, notice } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import { Times } from '../../pages/times.ts'
import { listPasskeys, readPassphrase } from '../../store/sign-in/sign-in.ts'
import type { AuthorizationEnvironment } from '../environment.ts'
import { readOwnerForm } from './owner-form.ts'
import { type OwnerSession, requireOwner } from './owner-session.ts'
import { hashPassphrase, SHORTEST_PASSPHRASE, verifyPassphrase } from './passphrase.ts'
import { sessionList } from './session-list.ts'

export async function showAccount(env: AuthorizationEnvironment, request: Request): Promise<Response> {
  const session = await requireOwner(env, request)
  if (session instanceof Response) return session
  return accountPage(env, session)
}

/** Sets or changes the passphrase; changing it needs the old one. */
export async function changePassphrase(env: AuthorizationEnvironment, request: Request): Promise<Response> {
  const sent = await readOwnerForm(env, request)
  if (sent instanceof Response) return sent
  const { session, form } = sent
  const { owner_id } = session
  try {
    if (await readPassphrase(env.store.database, owner_id)) {
      const now = env.clock().toISOString()
      const stored = await env.store.writer.call('beginPassphraseAttempt', { owner_id, now })
      if (!(await verifyPassphrase(form.get('current') ?? '', stored, env.passphraseCost)))
        throw new CodedError('wrong_passphrase', 'That is not the current passphrase.')
    }
    const hashed = await hashPassphrase(form.get('passphrase') ?? '', env.passphraseCost)
    const now = env.clock().toISOString()
    await env.store.writer.call('setPassphrase', { owner_id, ...hashed, keep: session.secret, now })
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return accountPage(env, session, error)
  }
  return accountPage(env, session, 'The passphrase was set. Other browsers were signed out.')
}

async function accountPage(
  env: AuthorizationEnvironment,
  session: OwnerSession,
  result?: CodedError | string,
): Promise<Response> {
  const times = new Times(env.timeZone, env.clock())
  const has = (await readPassphrase(env.store.database, session.owner_id)) !== null
  const passkeys = (await listPasskeys(env.store.database, session.owner_id)).length
  const csrf = hidden({ csrf: session.csrf })
  const current = html`<div class="stack-tight">
<label class="line" for="current">Current passphrase</label>
<input type="password" id="current" name="current" autocomplete="current-password" required></div>`
  const body = html`<div class="stack">
<h1>Settings</h1>
${typeof result === 'string' ? notice('good', result) : ''}
${result instanceof CodedError ? notice('danger', result.message) : ''}
<div class="columns"><div class="stack">
<form class="card stack" method="post" action="/settings">
<h2>${has ? 'Change the passphrase' : 'Set a passphrase'}</h2>
<p class="hint">With it you sign in from any browser. Several words are easier to remember and harder to guess than
one. Setting it signs out every other browser.</p>
${has ? current : ''}
<div class="stack-tight">
<label class="line" for="passphrase">New passphrase</label>
<input type="password" id="passphrase" name="passphrase" autocomplete="new-password" minlength="${SHORTEST_PASSPHRASE}" required
 aria-describedby="passphrase-hint">
<p class="hint" id="passphrase-hint">At least ${SHORTEST_PASSPHRASE} characters.</p></div>
${csrf}
<div class="actions"><button class="primary" type="submit">${has ? 'Change it' : 'Set it'}</button></div>
</form>
<div class="card stack"><h2>Passkeys</h2>
<p>${passkeys === 0 ? 'You have none yet.' : `You have ${counted(passkeys, 'passkey')}.`} With one you sign in by your fingerprint, your face
or the code of your device.</p>
<p><a class="button" href="/settings/passkeys">${passkeys === 0 ? 'Add a passkey' : 'Add or remove passkeys'}</a></p></div>
${await sessionList(env, session, times)}</div>
<div class="card stack"><h2>This Footnote</h2><dl class="facts">
<div><dt>Version</dt><dd>${env.about.version}</dd></div>
<div><dt>Address</dt><dd>${env.shown(env.publicUrl)} <a href="/settings/server#public-url">Change</a></dd></div>
<div><dt>Your time zone</dt><dd>${env.timeZone.name} <a href="/settings/server#time-zone">Change</a></dd></div>
<div><dt>Your names</dt><dd><a href="/settings/server#my-names">What your mail and chats call you</a></dd></div>
<div><dt>What apps search for</dt><dd><a href="/settings/server#ledger-queries">Choose whether Activity shows it</a></dd></div>
<div><dt>Your data</dt><dd>${env.shown(env.about.data)}</dd></div>
<div><dt>Backup</dt><dd>${backupText(env, times)}</dd></div>
<div><dt>What changed</dt><dd><a href="/settings/changes">Who was given access, and when you signed in</a></dd></div></dl></div>
</div></div>`
  const status = result instanceof CodedError ? result.status : 200
  return pageResponse({ title: 'Settings', body, section: 'settings' }, { status })
}

/** When the data was last copied, and how to copy it now. */
function backupText({ about, shown, spelled }: AuthorizationEnvironment, times: Times): Html {
  const download = html`<a href="/settings/footnote.ndjson">Download everything now</a>`
  if (!about.lastBackup)
    return html`${download}, or use the tools of your database. Footnote does not know whether they made a backup.`
  const last = about.lastBackup()
  return html`${
    last
      ? `The last one was made ${times.ago(last.at)}, in ${shown(last.directory)}.`
      : 'Footnote has not made one yet.'
  } ${download}, or run <code>${spelled('footnote backup DIR')}</code>`
}
