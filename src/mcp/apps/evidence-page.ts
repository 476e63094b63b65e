import { createHash } from 'node:crypto'

/**
 * The script of the page, for browsers. It exchanges JSON-RPC with the window around it and requests two things: the
 * theme, and that a link be opened when the person clicks it. Record text is only ever inserted as text.
 */
const EVIDENCE_SCRIPT = String.raw`
'use strict'
const part = id => document.getElementById(id)
const put = (id, text) => { part(id).textContent = text }
const waiting = new Map()
let asked = 0
let canOpen = false

const send = message => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
const ask = (method, params) => new Promise((resolve, reject) => {
  const id = ++asked
  waiting.set(id, { resolve, reject })
  send({ id, method, params })
})

addEventListener('message', ({ source, data }) => {
  if (source !== parent || data === null || typeof data !== 'object' || data.jsonrpc !== '2.0') return
  const { id, method, params, result, error } = data
  if (method === undefined) {
    const answer = waiting.get(id)
    waiting.delete(id)
    if (answer) error === undefined ? answer.resolve(result) : answer.reject(error)
  } else if (method === 'ui/notifications/tool-result') show(params)
  else if (method === 'ui/notifications/tool-cancelled') say('The call was cancelled.')
  else if (method === 'ui/notifications/host-context-changed') follow(params)
  else if (id !== undefined) {
    const known = method === 'ping' || method === 'ui/resource-teardown'
    send(known ? { id, result: {} } : { id, error: { code: -32601, message: 'Method not found' } })
  }
})

function follow(context) {
  const theme = context && context.theme
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
}

function say(text) {
  put('state', text)
  part('state').hidden = false
  part('evidence').hidden = true
}

function show(result) {
  const found = result && result.structuredContent
  if (!found || result.isError || !found.passage) {
    const texts = (result && result.content) || []
    return say((texts.find(({ type }) => type === 'text') || { text: 'There is no passage.' }).text)
  }
  const { title, source, author, occurred_at, passage, mark, field = {}, field_path, pages, url } = found
  put('title', title)
  put('origin', [source, author, occurred_at].filter(Boolean).join(' · '))
  const chars = Array.from(passage.text)
  const cut = (from, to) => chars.slice(from - passage.start_chars, to - passage.start_chars).join('')
  const marked = document.createElement('mark')
  marked.textContent = mark ? cut(mark.start_chars, mark.end_chars) : ''
  part('passage').replaceChildren(
    passage.start_chars > 0 ? '… ' : '',
    cut(passage.start_chars, mark ? mark.start_chars : passage.end_chars),
    ...(mark ? [marked, cut(mark.end_chars, passage.end_chars)] : []),
    field.size_chars > passage.end_chars ? ' …' : '',
  )
  const of = field.size_chars === undefined ? '' : ' of ' + field.size_chars
  put('place', [field_path, pages, 'characters ' + passage.start_chars + ' to ' + passage.end_chars + of]
    .filter(Boolean).join(' · '))
  put('digest', passage.digest)
  put('url', url)
  part('open').hidden = !canOpen || !/^https?:\/\//.test(url)
  part('open').onclick = () => ask('ui/open-link', { url }).catch(() => {})
  part('state').hidden = true
  part('evidence').hidden = false
  return check(passage, field)
}

async function check({ text, digest, complete }, field) {
  const tell = (kind, words) => {
    part('check').className = kind
    put('check', words)
  }
  tell('soft', 'Checking the digest.')
  if (!globalThis.crypto || !crypto.subtle) return tell('soft', 'This host does not let the page check the digest.')
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  const computed = 'sha256:' + Array.from(new Uint8Array(bytes), byte => byte.toString(16).padStart(2, '0')).join('')
  if (computed !== digest || (complete && field.digest !== undefined && computed !== field.digest)) {
    return tell('bad', 'The digest does not match: this is not the text that the server sent. Do not rely on it.')
  }
  if (complete && field.digest !== undefined) return tell('good', '✓ The digest matches the whole stored text.')
  return tell('good', '✓ The digest matches the passage that the server sent.')
}

const sizes = new ResizeObserver(() => {
  const { width, height } = document.documentElement.getBoundingClientRect()
  send({ method: 'ui/notifications/size-changed', params: { width: Math.ceil(width), height: Math.ceil(height) } })
})

ask('ui/initialize', {
  protocolVersion: '2026-01-26',
  appInfo: { name: 'footnote-evidence', version: '1' },
  appCapabilities: {},
}).then(({ hostCapabilities, hostContext }) => {
  canOpen = Boolean(hostCapabilities && hostCapabilities.openLinks)
  follow(hostContext)
  send({ method: 'ui/notifications/initialized' })
  sizes.observe(document.documentElement)
}, () => say('This host does not show the passage.'))
`

const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1f1d1a, #efebe3); --soft: light-dark(#5d574e, #b0a89b);
  --paper: light-dark(#fffefb, #1f1d1a); --line: light-dark(#d9d3c7, #3d3932); --accent: light-dark(#1d5c4b, #7fcbae);
  --mark: light-dark(#ffe9a8, #5c4a12); --bad: light-dark(#a3211b, #ff9d94) }
:root[data-theme=light] { color-scheme: light }
:root[data-theme=dark] { color-scheme: dark }
body { margin: 0; padding: 1rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.05rem; margin: 0 }
p { margin: .3rem 0 }
h1, p, blockquote { overflow-wrap: anywhere; unicode-bidi: isolate }
blockquote { margin: .8rem 0; padding-left: .8rem; border-left: 3px solid var(--line); white-space: pre-wrap }
mark { background: var(--mark); color: inherit; border-radius: 2px }
code { font-size: .85em }
button { font: inherit; color: var(--accent); background: none; border: 1px solid; border-radius: 8px; padding: .3rem .8rem;
  cursor: pointer }
.soft { color: var(--soft); font-size: .9rem }
.good { color: var(--accent) }
.bad { color: var(--bad); font-weight: 600 }
[hidden] { display: none }
`

const hashed = (inline: string) => `'sha256-${createHash('sha256').update(inline).digest('base64')}'`

/** Nothing may be loaded, sent or embedded, and only the script below may run. */
const POLICY = [
  `default-src 'none'`,
  `script-src ${hashed(EVIDENCE_SCRIPT)}`,
  `style-src ${hashed(STYLE)}`,
  `base-uri 'none'`,
  `form-action 'none'`,
].join('; ')

/** Shows in a host what `show_evidence` found. It contains no record: the host passes it the result of the call. */
export const EVIDENCE_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Evidence</title>
<style>${STYLE}</style>
<main>
<p id="state" role="status">Waiting for the passage.</p>
<article id="evidence" hidden>
<h1 id="title" dir="auto"></h1>
<p id="origin" class="soft" dir="auto"></p>
<blockquote id="passage" dir="auto"></blockquote>
<p id="place" class="soft"></p>
<p id="check" role="status"></p>
<p class="soft"><code id="digest"></code></p>
<p class="soft"><code id="url"></code></p>
<button id="open" type="button" hidden>Open the source</button>
</article>
</main>
<script>${EVIDENCE_SCRIPT}</script>
</html>
`
