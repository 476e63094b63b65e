import { html } from 'hono/html'
import { listGrants, revokeGrant } from '../../api/owner/grants.ts'
import { counted } from '../../model/amounts.ts'
import { hidden, notice } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { joined } from '../../pages/words.ts'
import { type App, answersText, lastUsedText, readClients } from '../app-names.ts'
import type { Visit } from '../visit.ts'
import { readVocabulary, type Vocabulary } from '../vocabulary.ts'
import { type AppAccess, type GrantWithTerms, readApps } from './app-access.ts'
import { recentDisclosures } from './app-reads.ts'
import { sourceNames } from './grant-words.ts'
import { type GrantRow, grantedRows, sharedTerms } from './granted-rows.ts'

const MOST_NAMED = 12

/** Also for a page that is reloaded or sent twice. */
const GONE = 'That access was already removed.'

/** Asks before anything is removed, and says what will be. */
export async function showRemoval(visit: Visit): Promise<Response> {
  const [apps, vocabulary] = await Promise.all([readApps(visit), readVocabulary(visit)])
  const { app, chosen } = named(apps, visit.query)
  if (!app) return showApps(visit, GONE)
  const namesOf = (grants: readonly GrantWithTerms[]) =>
    [...new Set(grants.flatMap(grant => sourceNames(grant, vocabulary)))].sort()
  const sources = namesOf(chosen)
  const left = namesOf(app.grants.filter(grant => !chosen.includes(grant)))
  const isAll = left.length === 0
  const title = isAll ? `Remove ${app.name}?` : `Remove ${joined(sources)} from ${app.name}?`
  const body = html`<form class="card stack" method="post" action="/apps"><h1>${title}</h1>
<p>${
    isAll
      ? `${app.name} can read ${counted(sources.length, 'source')} now: ${joined(sources, MOST_NAMED)}. After this, its next request is refused. Nothing is left that it can read.`
      : `${app.name} can read ${joined(sources, MOST_NAMED)} now. After this, it can only read ${joined(left, MOST_NAMED)}.`
  }</p>
<p class="soft small">What it has read already stays with it. Your data is not changed.</p>
${hidden([['csrf', visit.csrf], ...chosen.map(({ grant_id }) => ['grant', grant_id] as const)])}
<div class="actions"><button class="danger" type="submit">Remove access to ${counted(sources.length, 'source')}</button><a class="button" href="/apps">Keep it</a></div></form>`
  return pageResponse({ title, body, section: 'apps', width: 'narrow' })
}

/** Removes one source of an app, or all of them. */
export async function removeAccess(visit: Visit, form: URLSearchParams): Promise<Response> {
  const { app, chosen } = named(await readApps(visit), form)
  if (!app) return showApps(visit, GONE)
  // All are started before the first is awaited, so that each is refused even if none can be stored.
  await Promise.all(chosen.map(({ grant_id }) => visit.call(revokeGrant, { grant_id })))
  const vocabulary = await readVocabulary(visit)
  const sources = [...new Set(chosen.flatMap(grant => sourceNames(grant, vocabulary)))]
  return showApps(visit, `${app.name} can no longer read ${joined(sources)}.`)
}

/** The grants that a form or a URL names, directly or by their app. */
function named(
  apps: readonly AppAccess[],
  by: URLSearchParams,
): { app?: AppAccess; chosen: GrantWithTerms[] } {
  const ids = by.getAll('grant')
  for (const app of apps) {
    const isWhole = app.client_id === by.get('client')
    const chosen = app.grants.filter(({ grant_id }) => isWhole || ids.includes(grant_id))
    if (chosen.length > 0) return { app, chosen }
  }
  return { chosen: [] }
}

export async function showApps(visit: Visit, done?: string): Promise<Response> {
  const [apps, vocabulary, { data: grants }, clients] = await Promise.all([
    readApps(visit),
    readVocabulary(visit),
    visit.call(listGrants, {}),
    readClients(visit),
  ])
  const known = new Map(clients.map(client => [client.client_id, client]))
  const last = new Map(
    await Promise.all(
      apps.map(
        async ({ client_id }) => [client_id, (await recentDisclosures(visit, client_id, 1))[0]?.at] as const,
      ),
    ),
  )
  const body = html`<div class="stack-wide">
<header class="head"><div class="stack-tight"><h1>Apps</h1><p class="lede">${apps.length === 0 ? 'No app can read anything at the moment.' : `${counted(apps.length, 'app')} can read some of your data.`}</p></div>${apps.length === 0 ? '' : html`<a class="button small" href="/connect">Connect an app</a>`}</header>
${done ? notice('good', done) : ''}
${apps.length === 0 ? html`<section class="card stack"><h2>Let an app read some of it</h2><p>Claude, ChatGPT and other assistants can read your data here. You choose what each of them sees, and you can take it back at any time.</p><p><a class="button primary" href="/connect">Connect an app</a></p></section>` : ''}
${apps.map(app => appCard(app, known.get(app.client_id), vocabulary, last.get(app.client_id), visit.times))}
${ended(
  grants.filter(grant => !grant.active),
  known,
  visit.times,
)}</div>`
  return pageResponse({ title: 'Apps', body, section: 'apps' })
}

function appCard(
  { client_id, name, grants }: AppAccess,
  client: App | undefined,
  vocabulary: Vocabulary,
  last: string | undefined,
  times: Times,
): Html {
  const remove = (query: Record<string, string>, words: string, of: string) =>
    html`<a class="button danger small" href="/apps/remove?${new URLSearchParams(query).toString()}" aria-label="${words} ${of}">${words}</a>`
  const shared = sharedTerms(grants, times)
  const row: GrantRow = ({ grant_id }, source, words) =>
    html`<li class="grant"><div class="stack-tight"><h3>${source}</h3>${words}</div>
${remove({ grant: grant_id }, 'Remove', source)}</li>`
  return html`<section class="card" id="${client_id}" aria-label="${name}">
<div class="head"><h2><a href="/apps/${encodeURIComponent(client_id)}" dir="auto">${name}</a></h2>${grants.length > 1 ? remove({ client: client_id }, 'Remove all', `access of ${name}`) : ''}</div>
<p class="hint">${client ? `${lastUsedText(last, times)} ${answersText(client)} ` : ''}${shared ?? ''}</p>
<ul class="rows">${grantedRows(grants, vocabulary, times, row)}</ul></section>`
}

const MOST_ENDED = 50

function ended(grants: readonly GrantWithTerms[], known: ReadonlyMap<string, App>, times: Times): Html | '' {
  if (grants.length === 0) return ''
  const byApp = [...Map.groupBy(grants, grant => grant.client_id).values()]
  return html`<details><summary>Ended access (${counted(byApp.length, 'app')})</summary><ul class="rows card">${byApp
    .slice(0, MOST_ENDED)
    .map(own => {
      const [first] = own
      const ends = own.map(grant => grant.revoked_at ?? grant.expires_at ?? grant.consumed_at ?? '').sort()
      return html`<li><a href="/apps/${encodeURIComponent(first?.client_id ?? '')}">${known.get(first?.client_id ?? '')?.name ?? first?.client_name}</a> <span class="soft">${counted(own.length, 'grant')}, ended ${times.day(ends.at(-1) ?? '')}</span></li>`
    })}</ul></details>`
}
