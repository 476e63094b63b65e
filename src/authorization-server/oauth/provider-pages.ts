import { html } from 'hono/html'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { FAILURE } from '../../pages/error-page.ts'
import { hidden, notice, refusal } from '../../pages/forms.ts'
import { type Html, pageHeaders, renderPage } from '../../pages/layout.ts'
import { PATHS } from './paths.ts'

/** Writes a page as oidc-provider's response. */
async function writePage(ctx: KoaContextWithOIDC, page: { title: string; body: Html }): Promise<void> {
  ctx.type = 'html'
  ctx.set(pageHeaders())
  ctx.body = String(await renderPage({ ...page, width: 'narrow' }))
}

/** oidc-provider's error if it cannot fetch or read the document of a client. */
const DOCUMENT_FAILED = 'client_id metadata document fetch failed'

/** Its error for a client that is not registered here. */
const CLIENT_UNKNOWN = 'client is invalid'
const UNKNOWN_CLIENT_HELP =
  'This Footnote does not know the app: it may have been connected to another Footnote, or to this one before its data was removed. Nothing was shared. Remove Footnote from the app, add it again and connect.'

/** For a request whose error cannot be sent to the client, because the client's address is unknown. */
export async function renderProviderError(
  ctx: KoaContextWithOIDC,
  out: { error: string; error_description?: string | undefined },
  request_id: string,
): Promise<void> {
  if (out.error === 'server_error')
    return writePage(ctx, {
      title: FAILURE.title,
      body: refusal({ ...FAILURE, code: out.error, request_id }),
    })
  const title = 'This app cannot be connected'
  if (out.error_description === DOCUMENT_FAILED) {
    const clientId = String(ctx.oidc?.params?.client_id ?? '').slice(0, 200)
    const message = `The app names itself by the document at ${clientId}, which Footnote could not fetch. Nothing was shared. If the computer that Footnote runs on cannot reach the internet, start Footnote with --client-documents off, and connect again in the app: it then registers instead.`
    return writePage(ctx, { title, body: refusal({ title, message, code: out.error }) })
  }
  if (out.error_description === CLIENT_UNKNOWN)
    return writePage(ctx, { title, body: refusal({ title, message: UNKNOWN_CLIENT_HELP, code: out.error }) })
  const said = out.error_description ? `${capital(out.error_description)}.` : 'The request is not valid.'
  const message = `${said} Go back to the app and start again. Nothing was shared.`
  await writePage(ctx, { title, body: refusal({ title, message, code: out.error }) })
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, '')
}

/** The secret in the form that oidc-provider made; the form that we show is our own. */
function secretIn(form: string): string {
  return /name="xsrf" value="([^"]*)"/.exec(form)?.[1] ?? ''
}

const PROBLEMS: Record<string, string> = {
  NoCodeError: 'Enter the code that the device shows.',
  NotFoundError: 'This code is not valid. Check it, or start again on the device.',
  ExpiredError: 'This code is too old. Start again on the device.',
  AlreadyUsedError: 'This code was already used. Start again on the device.',
  AbortedError: 'Nothing was connected. You can close this page.',
}

export async function enterDeviceCode(
  ctx: KoaContextWithOIDC,
  form: string,
  _out?: unknown,
  error?: { name?: string },
): Promise<void> {
  const code = new URLSearchParams(ctx.originalUrl.split('?')[1]).get('user_code') ?? ''
  const problem = error && (PROBLEMS[error.name ?? ''] ?? 'That did not work. Start again on the device.')
  const body = html`<form class="card stack" method="post" action="${PATHS.code_verification}">
<h1>Connect a device</h1>
<p>Enter the code only if you have just started this on a device of yours. Nothing is shared until you have chosen what.</p>
${problem ? notice('warn', problem) : ''}
<div class="stack-tight">
<label class="line" for="user_code">The code that the device shows</label>
<input type="text" id="user_code" name="user_code" value="${code}" autocomplete="off" autocapitalize="characters" spellcheck="false" required autofocus></div>
${hidden({ xsrf: secretIn(form) })}
<div class="actions"><button class="primary" type="submit">Continue</button></div>
</form>`
  await writePage(ctx, { title: 'Connect a device', body })
}

export async function confirmDevice(
  ctx: KoaContextWithOIDC,
  form: string,
  client: { clientName?: string | undefined; clientId: string },
  _deviceInfo: unknown,
  userCode: string,
): Promise<void> {
  const body = html`<form class="card stack" method="post" action="${PATHS.code_verification}">
<h1>Is this your device?</h1>
<p><strong>${client.clientName ?? client.clientId}</strong> wants to connect. Its screen must show this code:</p>
<p><strong><code>${userCode}</code></strong></p>
<p class="hint">Someone may have sent you this code to get at your data. If you did not start this yourself, stop here.
Next, you choose what it may read.</p>
${hidden({ xsrf: secretIn(form), user_code: userCode })}
<div class="actions">
<button class="primary" type="submit" name="confirm" value="yes">Yes, continue</button>
<button type="submit" name="abort" value="yes">No, stop</button></div>
</form>`
  await writePage(ctx, { title: 'Is this your device?', body })
}

export async function deviceConnected(ctx: KoaContextWithOIDC): Promise<void> {
  const body = html`<div class="card stack"><h1>Connected</h1>
<p>The device can read what you chose. You can close this page.</p>
<p class="hint">To see or end it: <a href="/apps">Apps</a>.</p></div>`
  await writePage(ctx, { title: 'Connected', body })
}
