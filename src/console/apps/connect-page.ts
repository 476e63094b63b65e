import { html } from 'hono/html'
import { CLIENT_KINDS, CLIENTS_BY_HAND, type ClientKind } from '../../clients/client-kinds.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import type { ConsoleEnvironment } from '../environment.ts'
import type { Visit } from '../visit.ts'

const NAME = 'footnote'

/** How to connect each client: one line to copy, or the steps to follow. */
export async function showConnect({ env, query }: Visit): Promise<Response> {
  const clients = [...CLIENT_KINDS, ...CLIENTS_BY_HAND]
  const chosen = clients.find(({ key }) => key === query.get('client')) ?? clients[0]
  const url = `${env.publicUrl}/mcp`
  const body = html`<div class="stack-wide">
<header class="stack-tight"><p class="small"><a href="/apps">Apps</a></p><h1>Connect an app</h1>
<p class="lede">The app opens your browser, and there you decide what it may read.</p></header>
<nav class="tabs" aria-label="Which app">${clients.map(
    ({ key, label }) =>
      html`<a href="/connect?client=${key}" ${key === chosen?.key ? html`aria-current="true"` : ''}>${label}</a>`,
  )}</nav>
${chosen === undefined ? '' : 'format' in chosen ? kindSteps(chosen, env, url) : html`<section class="card stack"><h2>${chosen.label}</h2>${listOf(chosen.connectorSteps(env.publicUrl).map(env.spelled))}</section>`}
<section class="stack-tight"><h2>Any other MCP client</h2><p>Give it this address. It signs in by OAuth and needs no token.</p>${line(url)}</section>
<p class="soft">Once you have allowed it, the app is listed under <a href="/apps">Apps</a>. <a href="/activity">Activity</a> shows what it reads.</p></div>`
  return pageResponse({ title: 'Connect an app', body, section: 'apps' })
}

function kindSteps(kind: ClientKind, { publicUrl, spelled }: ConsoleEnvironment, url: string): Html {
  const { key, label, http, command, signIn, connectorSteps } = kind
  const run = command?.(NAME, url)
  const entry = http ? kind.place(NAME, {}).reduceRight((inner, key) => ({ [key]: inner }), http(url)) : null
  const steps = [
    ...(run
      ? [html`<p>Run this where ${label} runs:</p>${line(run)}`]
      : entry
        ? [html`<p>Put this into the MCP settings of ${label}:</p>${line(JSON.stringify(entry, null, 2))}`]
        : []),
    ...(signIn ? [html`<p>Then ${signIn(NAME)}.</p>`] : []),
    ...(signIn
      ? [html`<p>Your browser opens this server. Choose what ${label} may read, review it and allow it.</p>`]
      : []),
  ]
  return html`<section class="card stack"><h2>${label}</h2>
${steps.length === 0 ? '' : html`<ol class="steps">${steps.map(step => html`<li>${step}</li>`)}</ol>`}
<p class="${steps.length === 0 ? '' : 'soft'}">${steps.length === 0 ? 'Run this where Footnote runs. It' : 'If both run on one computer, this'} writes the settings of ${label} for you:</p>${line(spelled(`footnote connect ${key} --write`))}
${connectorSteps ? html`<h3>Over the internet</h3>${listOf(connectorSteps(publicUrl).map(spelled))}` : ''}</section>`
}

function listOf(steps: readonly string[]): Html {
  return html`<ol class="steps">${steps.map(step => html`<li>${step}</li>`)}</ol>`
}

/** Text to copy: one click selects all of it. */
function line(text: string): Html {
  return html`<pre class="copy" tabindex="0">${text}</pre>`
}
