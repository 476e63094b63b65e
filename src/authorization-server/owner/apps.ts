import { html } from 'hono/html'
import { type GrantState, isActive } from '../../model/access/grant.ts'
import { CodedError } from '../../model/errors.ts'
import { hidden, notice } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import { counted, dayText, humanName, listed } from '../../pages/words.ts'
import { listDisclosures } from '../../store/access/disclosures.ts'
import { listGrants } from '../../store/access/grants.ts'
import { listConnections } from '../../store/records/catalog.ts'
import type { AuthorizationEnvironment } from '../environment.ts'
import { readOwnerForm } from './owner-form.ts'
import { type OwnerSession, requireOwner } from './owner-session.ts'

export async function showApps(env: AuthorizationEnvironment, request: Request): Promise<Response> {
  const session = await requireOwner(env, request)
  if (session instanceof Response) return session
  return appsPage(env, session)
}

/** Removes one source of an app, or all of them. */
export async function endAccess(env: AuthorizationEnvironment, request: Request): Promise<Response> {
  const sent = await readOwnerForm(env, request)
  if (sent instanceof Response) return sent
  const { session, form } = sent
  const { owner_id } = session
  const now = env.clock()
  const active = (await listGrants(env.store.database, owner_id)).filter(grant => isActive(grant, now))
  const [grant, client] = [form.get('grant'), form.get('client')]
  const ended = active.filter(each => each.grant_id === grant || each.client_id === client)
  if (ended.length === 0) throw new CodedError('grant_not_found', 'That access was already removed.')
  // All are begun before the first is waited for, so that each is refused even if none can be stored.
  await Promise.all(
    ended.map(({ grant_id }) => env.store.revokeGrant({ owner_id, grant_id, now: now.toISOString() })),
  )
  return appsPage(
    env,
    session,
    `${ended[0]?.client_name} was removed from ${counted(ended.length, 'source')}.`,
  )
}

async function appsPage(
  env: AuthorizationEnvironment,
  session: OwnerSession,
  done?: string,
): Promise<Response> {
  const { owner_id } = session
  const now = env.clock()
  const grants = await listGrants(env.store.database, owner_id)
  const active = grants.filter(grant => isActive(grant, now))
  const connections = await listConnections(env.store.database, owner_id)
  const names = new Map(connections.map(row => [row.connection_id, row.display_name]))
  const opened = new Map<string, Html>()
  for (const { grant_id } of active) {
    const { streams } = await env.store.grant(owner_id, grant_id)
    const accounts = new Set(streams.flatMap(stream => stream.instance_ids))
    const sources = [...accounts].map(id => names.get(id) ?? 'a deleted source')
    const kinds = [...new Set(streams.map(stream => humanName(stream.name)))]
    opened.set(grant_id, html`<strong>${listed(sources)}</strong> <span class="soft">${listed(kinds)}</span>`)
  }
  const apps = [...Map.groupBy(active, grant => grant.client_id).values()]
  const reads = new Map<string, string>()
  for (const [app] of apps) {
    const client_id = app?.client_id ?? ''
    const query = { owner_id, client_id, since: null, until: null, after: null, limit: 1 }
    const [last] = await listDisclosures(env.store.ledger.database, query)
    reads.set(client_id, last ? `Last read on ${dayText(last.at)}.` : 'It has read nothing yet.')
  }
  const body = html`<div class="stack"><h1>Apps</h1>
${done ? notice('info', done) : ''}
${apps.length === 0 ? html`<p class="card">No app can read anything at the moment.</p>` : ''}
${apps.map(app => appCard(app, opened, reads, session))}</div>`
  return pageResponse({ title: 'Apps', body, section: 'apps' })
}

function appCard(
  grants: readonly GrantState[],
  opened: ReadonlyMap<string, Html>,
  reads: ReadonlyMap<string, string>,
  session: OwnerSession,
): Html {
  const [first] = grants
  if (!first) return html``
  const { client_id, client_name } = first
  const csrf = (more: [string, string]) => hidden([['csrf', session.csrf], more])
  return html`<section class="card" aria-label="${client_name}">
<div class="head"><h2>${client_name}</h2>
${
  grants.length > 1
    ? html`<form method="post" action="/apps">${csrf(['client', client_id])}
<button class="danger small" type="submit">Remove all</button></form>`
    : ''
}</div>
<p class="hint">${reads.get(client_id) ?? ''}</p>
${grants.map(
  grant => html`<div class="source head"><div><p>${opened.get(grant.grant_id) ?? ''}</p>
<p class="hint">Since ${dayText(grant.created_at)}${grant.expires_at ? `, until ${dayText(grant.expires_at)}` : ''}</p></div>
<form method="post" action="/apps">${csrf(['grant', grant.grant_id])}
<button class="danger small" type="submit">Remove</button></form></div>`,
)}</section>`
}
