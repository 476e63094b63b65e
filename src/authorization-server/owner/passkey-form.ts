import { html } from 'hono/html'
import { hidden } from '../../pages/forms.ts'
import type { Html } from '../../pages/layout.ts'

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
<div class="actions"><button class="primary" type="button">${button}</button></div>
</form>`
}
