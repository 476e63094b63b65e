import { html } from 'hono/html'
import { hidden } from '../../pages/forms.ts'
import type { Html } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { type Ended, type ListedSession, listSessions } from '../../store/sign-in/sessions.ts'
import type { AuthorizationEnvironment } from '../environment.ts'
import { readOwnerForm } from './owner-form.ts'
import { type OwnerSession, seeOther, sessionCookie } from './owner-session.ts'

const MOST_SESSIONS = 20

/** The card in Settings with every open session, each with a button to end it. */
export async function sessionList(
  env: AuthorizationEnvironment,
  session: OwnerSession,
  times: Times,
): Promise<Html> {
  const { owner_id, secret } = session
  const now = times.now.toISOString()
  const sessions = await listSessions(env.store.database, { owner_id, session: secret, now })
  const csrf = hidden({ csrf: session.csrf })
  const others = sessions.length - 1
  return html`<div class="card stack"><h2>Where you are signed in</h2>
<ul class="rows">${sessions.slice(0, MOST_SESSIONS).map(each => sessionRow(each, times, csrf))}</ul>
${sessions.length > MOST_SESSIONS ? html`<p class="soft small">and ${sessions.length - MOST_SESSIONS} more</p>` : ''}
<p class="hint">Signing out everywhere also ends sign-in links that were not used yet. It does not touch what apps may
read: see <a href="/apps">Apps</a>.</p>
<form class="actions" method="post" action="/sign-out">${csrf}
<button type="submit">Sign out here</button>
${others > 0 ? html`<button type="submit" name="others" value="yes">Sign out all others</button>` : ''}
<button type="submit" name="everywhere" value="yes" class="danger">Sign out everywhere</button></form></div>`
}

function sessionRow(listed: ListedSession, times: Times, csrf: Html): Html {
  const { session_hash, browser, created_at, seen_at, current } = listed
  const name = browser ?? 'A browser'
  const seen = current || seen_at === null ? '' : `, last seen ${times.ago(seen_at)}`
  return html`<li class="head"><span>${name}${current ? html` <span class="badge good">here</span>` : ''}
<span class="soft small">since ${times.at(created_at)}${seen}</span></span>
${
  current
    ? ''
    : html`<form method="post" action="/sign-out">${csrf}<button type="submit" name="session" value="${session_hash}"
 aria-label="Sign out ${name}, signed in since ${times.at(created_at)}">Sign out</button></form>`
}</li>`
}

/** Ends this session, a named one, all others, or all. */
export async function signOut(env: AuthorizationEnvironment, request: Request): Promise<Response> {
  const sent = await readOwnerForm(env, request)
  if (sent instanceof Response) return sent
  const { session, form } = sent
  const { owner_id, secret } = session
  const now = env.clock().toISOString()
  const ended = endedBy(form)
  await env.store.writer.call('endSessions', { owner_id, session: secret, ended, now })
  if (ended === 'others' || typeof ended === 'object') return seeOther('/settings')
  return seeOther('/sign-in?signed_out', { 'Set-Cookie': sessionCookie(env.publicUrl, null) })
}

function endedBy(form: URLSearchParams): Ended {
  if (form.get('everywhere') === 'yes') return 'everywhere'
  if (form.get('others') === 'yes') return 'others'
  const session_hash = form.get('session')
  return session_hash === null ? 'own' : { session_hash }
}
