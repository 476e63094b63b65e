/**
 * The script of the page, for browsers. It exchanges JSON-RPC with the window around it and requests two things: the
 * theme, and that a link be opened when the person clicks it. Record text is only ever inserted as text.
 */
export const EVIDENCE_SCRIPT = String.raw`
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
  const { title, source, author, local_time, occurred_at, passage, mark, field = {}, field_path, pages, url } = found
  put('title', title)
  put('origin', [source, author, local_time || occurred_at].filter(Boolean).join(' · '))
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
