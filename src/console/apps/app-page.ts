import { html } from 'hono/html'
import { MOST_EXAMINED, readActivity } from '../../api/owner/activity.ts'
import { addSources, replaceGrant, revokeGrant } from '../../api/owner/grants.ts'
import { counted } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import { hidden, notice } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import { joined } from '../../pages/words.ts'
import { type App, answersText, lastUsedText, readClients } from '../app-names.ts'
import { doneNotice, goToTell } from '../done.ts'
import type { Visit } from '../visit.ts'
import { kindsText, readVocabulary, type Vocabulary } from '../vocabulary.ts'
import { type GrantWithTerms, readAppGrants } from './app-access.ts'
import { recentDisclosures } from './app-reads.ts'
import { sourceNames } from './grant-words.ts'
import { collapsible, type GrantRow, grantedRows, sharedTerms } from './granted-rows.ts'

const KEPT_MS = 2 * 365.25 * 86_400_000
const MOST_ENDED = 50

/** Gives an app access to one more source, or replaces its grants with narrower ones that cover only what it used. */
export async function changeApp(visit: Visit, form: URLSearchParams): Promise<Response> {
  const { client_id = '' } = visit.path
  try {
    if (form.get('action') === 'add')
      await visit.call(addSources, { client_id }, { json: { connections: form.getAll('source') } })
    else await reduceToUse(visit, client_id)
  } catch (error) {
    if (!(error instanceof CodedError) || error.status >= 500 || error.status === 404) throw error
    return showApp(visit, error)
  }
  return goToTell(`/apps/${encodeURIComponent(client_id)}`, 'access-changed')
}

async function reduceToUse(visit: Visit, client_id: string): Promise<void> {
  const { active } = await readAppGrants(visit, client_id)
  const { left, used } = await useOf(visit, client_id, active)
  if (used === 0) throw new CodedError('invalid_request', 'It used nothing: remove its access instead.')
  for (const { grant, streams } of left) {
    const { grant_id } = grant
    if (streams.length === 0) await visit.call(revokeGrant, { grant_id })
    else if (streams.length < (grant.grant?.streams.length ?? 0))
      await visit.call(replaceGrant, { grant_id }, { json: { streams: streams.map(name => ({ name })) } })
  }
}

/** One app: what it may read, what it used of that, and every decision about it. */
export async function showApp(visit: Visit, problem?: CodedError): Promise<Response> {
  const { client_id = '' } = visit.path
  const [clients, { active, ended }, vocabulary, [last]] = await Promise.all([
    readClients(visit),
    readAppGrants(visit, client_id),
    readVocabulary(visit),
    recentDisclosures(visit, client_id, 1),
  ])
  const client = clients.find(each => each.client_id === client_id)
  if (!client) throw new CodedError('not_found', 'There is no such app.')
  const use = active.length === 0 ? null : await useOf(visit, client_id, active)
  const { name } = client
  const shared = sharedTerms(active, visit.times)
  const path = `/apps/${encodeURIComponent(client_id)}`
  const body = html`<div class="stack-wide">
<header class="head"><div class="stack-tight"><p class="small"><a href="/apps">Apps</a></p><h1 dir="auto">${name}</h1>
<p class="lede">${lastUsedText(last?.at, visit.times)} ${answersText(client)}</p></div>
<div class="actions"><a class="button small" href="/activity/${encodeURIComponent(client_id)}">What it read</a>${active.length === 0 ? '' : html`<a class="button danger small" href="/apps/remove?${new URLSearchParams({ client: client_id }).toString()}">Remove all access</a>`}</div></header>
${problem ? notice('danger', problem.message) : ''}
${doneNotice(visit)}
<section class="stack"><h2>What it may read</h2>${shared === undefined ? '' : html`<p class="soft">${shared}</p>`}
${active.length === 0 ? html`<p class="card soft">Nothing at the moment.</p>` : html`<ul class="rows card">${grantedRows(active, vocabulary, visit.times, grantRow(path))}</ul>`}</section>
${addCard(visit, path, client, vocabulary)}
${use ? useCard(visit, path, name, use, vocabulary) : ''}
${endedCard(visit, path, ended, vocabulary)}</div>`
  return pageResponse({ title: name.slice(0, 80), body, section: 'apps' }, { status: problem?.status ?? 200 })
}

function grantRow(path: string): GrantRow {
  return ({ grant_id }, source, words) =>
    html`<li class="grant"><div class="stack-tight"><h3>${source}</h3>${words}<p class="small"><a href="${path}/${grant_id}/receipt" aria-label="Receipt for ${source}">Receipt</a></p></div>
<div class="actions"><a class="button small" href="${path}/${grant_id}" aria-label="Change ${source}">Change</a>
<a class="button danger small" href="/apps/remove?${new URLSearchParams({ grant: grant_id }).toString()}" aria-label="Remove ${source}">Remove</a></div></li>`
}

/** The sources that the app cannot see yet, each with a button to give it access. */
function addCard(
  { csrf }: Visit,
  path: string,
  { name, connection_ids, extendable }: App,
  { sources }: Vocabulary,
): Html | '' {
  const more = [...sources].filter(([id]) => !connection_ids.includes(id))
  if (more.length === 0 || connection_ids.length === 0) return ''
  if (!extendable)
    return html`<p class="soft">${name} asked for exactly what it reads. To let it read more, connect it again in the app.</p>`
  return html`<section class="stack"><h2>What it cannot see</h2><p class="soft">If you let it read one of these, it can read every kind of record and every field of it from its next request, without signing in again. You can take out what it does not need.</p>${collapsible(
    more.map(
      ([id, source]) =>
        html`<li class="head"><span>${source}</span><form method="post" action="${path}">${hidden({ csrf, action: 'add', source: id })}<button class="small" type="submit" aria-label="Let it read this: ${source}">Let it read this</button></form></li>`,
    ),
    counted(more.length, 'source'),
  )}</section>`
}

function useCard(
  { csrf }: Visit,
  path: string,
  name: string,
  { open, used, left, requests, complete }: AppUse,
  vocabulary: Vocabulary,
): Html {
  const when = complete ? `in ${USE_DAYS} days` : `in its last ${counted(requests, 'request')}`
  const said = `${name} used ${used} of ${counted(open, 'kind')} of records ${when}.`
  const goes = left.flatMap(({ grant, streams }) => {
    const lost = (grant.grant?.streams ?? []).map(each => each.name).filter(name => !streams.includes(name))
    if (lost.length === 0) return []
    const source = joined(sourceNames(grant, vocabulary))
    return [{ source, lost: streams.length === 0 ? 'all of it' : kindsText(lost, vocabulary) }]
  })
  return html`<section class="stack"><h2>What it used</h2><div class="card stack"><p>${said}</p>
${
  used === 0 || goes.length === 0
    ? html`<p class="soft">${used === 0 ? 'If you no longer need it, remove its access.' : 'It needs everything that it has.'}</p>`
    : html`<details><summary>What it would lose</summary><ul>${goes.map(
        ({ source, lost }) => html`<li>${source}: ${lost}</li>`,
      )}</ul></details>
<form method="post" action="${path}">${hidden({ csrf, action: 'reduce' })}<button type="submit">Reduce to what it used</button></form>
<p class="soft small">It takes effect at its next request. The app does not have to sign in again.</p>`
}</div></section>`
}

/** Access that has ended stays listed for two years. */
function endedCard(
  { times, now }: Visit,
  path: string,
  ended: readonly GrantWithTerms[],
  vocabulary: Vocabulary,
): Html | '' {
  const listed = ended
    .map(grant => ({ grant, at: grant.revoked_at ?? grant.expires_at ?? grant.consumed_at ?? '' }))
    .filter(({ at }) => now.getTime() - Date.parse(at) < KEPT_MS)
    .sort((a, b) => (a.at < b.at ? 1 : -1))
  if (listed.length === 0) return ''
  return html`<section class="stack"><h2>Ended access</h2>${collapsible(
    listed.slice(0, MOST_ENDED).map(
      ({ grant, at }) =>
        html`<li class="head"><span>${joined(sourceNames(grant, vocabulary))} <span class="soft">since ${times.day(grant.created_at)}, ended ${times.at(at)}</span></span>
<a class="small" href="${path}/${grant.grant_id}/receipt">Receipt</a></li>`,
    ),
    counted(listed.length, 'grant'),
  )}${listed.length > MOST_ENDED ? html`<p class="soft small">and ${listed.length - MOST_ENDED} more</p>` : ''}</section>`
}

const USE_DAYS = 30
const DAY_MS = 86_400_000

/** How much of its access an app has used recently. */
interface AppUse {
  /** How many kinds of records its grants cover, counted separately for each source. */
  open: number
  used: number
  /** What is left of each grant if it is reduced to what was used; a grant without streams is not needed at all. */
  left: { grant: GrantWithTerms; streams: string[] }[]
  requests: number
  /** False if there were more requests than were examined, and not everything was used in these. */
  complete: boolean
}

async function useOf(visit: Visit, client_id: string, grants: readonly GrantWithTerms[]): Promise<AppUse> {
  const since = new Date(visit.now.getTime() - USE_DAYS * DAY_MS).toISOString()
  const until = new Date(visit.now.getTime() + DAY_MS).toISOString()
  const query = { client_id, since, until, examine: MOST_EXAMINED }
  const [activity] = (await visit.call(readActivity, {}, { query })).data
  const { requests = 0, examined = 0, shown = [] } = activity ?? {}
  const seen = new Set(shown.map(each => keyOf(each.connection_id, each.stream)))
  const left = grants.map(grant => ({
    grant,
    streams: (grant.grant?.streams ?? [])
      .filter(({ name, instance_ids }) => instance_ids.some(id => seen.has(keyOf(id, name))))
      .map(({ name }) => name),
  }))
  // Two grants may cover the same kind.
  const covered = (name: string, { grant }: GrantWithTerms) =>
    (grant?.streams ?? [])
      .filter(each => each.name === name)
      .map(each => keyOf(each.instance_ids.join(' '), name))
  const open = new Set(grants.flatMap(each => each.grant?.streams.flatMap(({ name }) => covered(name, each))))
    .size
  const used = new Set(left.flatMap(({ grant, streams }) => streams.flatMap(name => covered(name, grant))))
    .size
  return { open, used, left, requests: examined, complete: examined === requests || used === open }
}

function keyOf(connection_id: string, stream: string): string {
  return `${connection_id} ${stream}`
}
