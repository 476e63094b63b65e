/** The path of the only script on the pages. */
export const SCRIPT_PATH = '/passkeys.js'

/**
 * The only script on the pages: it asks the browser for a passkey and sends the answer with the form. It sends nothing
 * else, and without it the page says what to do instead.
 */
const SCRIPT = `const form = document.querySelector('form[data-passkey]')
const button = form.querySelector('button')
const problem = document.getElementById('passkey-problem')

const toBytes = text =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), each => each.charCodeAt(0))
const toText = buffer =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

const options = JSON.parse(form.dataset.passkey)
options.challenge = toBytes(options.challenge)
if (options.user) options.user.id = toBytes(options.user.id)
for (const known of options.excludeCredentials ?? []) known.id = toBytes(known.id)

async function answer() {
  const asked = { publicKey: options }
  const made = options.user ? await navigator.credentials.create(asked) : await navigator.credentials.get(asked)
  const response = {}
  for (const name of ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'])
    if (made.response[name]) response[name] = toText(made.response[name])
  return { id: made.id, rawId: toText(made.rawId), type: made.type, response, clientExtensionResults: {} }
}

const PROBLEMS = {
  InvalidStateError: 'This device already has a passkey for this Footnote.',
  NotAllowedError: 'No passkey was used. Try again.',
}

form.addEventListener('submit', async event => {
  event.preventDefault()
  button.disabled = true
  problem.hidden = true
  try {
    form.elements.credential.value = JSON.stringify(await answer())
    form.submit()
  } catch (error) {
    problem.textContent = PROBLEMS[error.name] ?? error.message
    problem.hidden = false
    button.disabled = false
  }
})

if (window.PublicKeyCredential) {
  form.hidden = false
  document.getElementById('passkey-without').hidden = true
}
`

export function sendScript(): Response {
  return new Response(SCRIPT, {
    headers: {
      'Content-Type': 'text/javascript; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Cache-Control': 'no-store',
    },
  })
}
