import { html } from 'hono/html'
import { listClients } from '../../api/owner-grants.ts'
import { exportEverything, listAudit } from '../../api/owner-ledger.ts'
import { pageResponse } from '../../pages/layout.ts'
import { humanName } from '../../pages/words.ts'
import type { Visit } from '../visit.ts'

const PAGE = 50

const EVENTS: Readonly<Record<string, string>> = {
  grant_made: 'was given access to a source',
  grant_revoked: 'lost its access to a source',
  grant_consumed: 'used its one-time access',
  consent_denied: 'was not given access',
  refresh_reuse_detected: 'used a replaced refresh token, so its access was ended',
  signed_in: 'You signed in',
  sign_in_blocked: 'Signing in was blocked for a while',
  passphrase_set: 'You set the passphrase',
  passkey_added: 'You added a passkey',
  passkey_removed: 'You removed a passkey',
  signed_out: 'You signed out',
  session_ended: 'You signed out another browser',
  other_sessions_ended: 'You signed out all other browsers',
  signed_out_everywhere: 'You signed out everywhere',
  setting_changed: 'You changed a setting',
}

/** What changed about apps, sign-ins and settings, newest first. */
export async function showAudit(visit: Visit): Promise<Response> {
  const query = { limit: PAGE, cursor: visit.query.get('from') }
  const [{ data, next_cursor }, { data: clients }] = await Promise.all([
    visit.call(listAudit, {}, { query }),
    visit.call(listClients, {}),
  ])
  const names = new Map(clients.map(({ client_id, name }) => [client_id, name]))
  const body = html`<div class="stack-wide">
<header class="stack-tight"><p class="small"><a href="/settings">Settings</a></p><h1>Changes</h1><p class="lede">Who was given access, who was not, when you signed in, and what you set.</p></header>
${
  data.length === 0
    ? html`<p class="card soft">Nothing has changed yet.</p>`
    : html`<ol class="rows card">${data.map(({ event, actor, at, client_id, grant_id, detail }) => {
        const who = client_id === null ? '' : `${names.get(client_id) ?? client_id} `
        const by = client_id === null ? '' : ` by ${actor === 'owner' ? 'you' : `the ${actor}`}`
        const receipt =
          client_id !== null && grant_id !== null
            ? html` · <a href="/apps/${encodeURIComponent(client_id)}/${grant_id}/receipt">Receipt</a>`
            : ''
        return html`<li class="head"><span>${who}${EVENTS[event] ?? humanName(event)}${by}${detail ? html` <span class="soft small">(${visit.shown(detail)})</span>` : ''}${receipt}</span><span class="count small">${visit.times.at(at)}</span></li>`
      })}</ol>`
}
${next_cursor === undefined ? '' : html`<p><a class="button" href="?${new URLSearchParams({ from: next_cursor }).toString()}">Earlier</a></p>`}</div>`
  return pageResponse({ title: 'Changes', body, section: 'settings' })
}

/** Everything of the owner as one file, generated while it is sent. */
export function sendEverything({ fetch }: Visit): Promise<Response> {
  return fetch(exportEverything, {})
}
