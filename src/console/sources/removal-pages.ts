import { html } from 'hono/html'
import { deleteConnection, listConnections } from '../../api/owner/catalog.ts'
import { sampleConnections } from '../../api/owner/imports.ts'
import { listStreams } from '../../api/streams.ts'
import { counted } from '../../model/amounts.ts'
import { hidden } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import { type AppAccess, connectionsOf, type GrantWithTerms, readApps } from '../apps/app-access.ts'
import { grantWords } from '../apps/grant-words.ts'
import { goToTell } from '../done.ts'
import { goTo, type Visit } from '../visit.ts'
import { readVocabulary } from '../vocabulary.ts'
import { kindsOf, readImports, readSource } from './overview.ts'

export const SAMPLES_PATH = '/sources/samples'

/** Says what is removed together with a source, and what each app loses, before anything is removed. */
export async function showSourceRemoval(visit: Visit): Promise<Response> {
  const [{ connection_id, name, kinds, count }, apps, vocabulary] = await Promise.all([
    readSource(visit),
    readApps(visit),
    readVocabulary(visit),
  ])
  const loss = ({ grants }: AppAccess) => {
    const own = grants.filter(grant => connectionsOf(grant).includes(connection_id))
    return own.length === 0
      ? null
      : html`${own.map(grant => grantWords(ofSource(grant, connection_id), vocabulary, visit.times))}`
  }
  return removalPage(visit, {
    title: `Remove ${name}?`,
    action: `/sources/${connection_id}`,
    count,
    keep: html`<a class="button" href="/sources/${connection_id}">Keep it</a>`,
    what: html`<p>${counted(count, 'record')} will be deleted from Footnote, with their files and everything that search knows of them:</p>
<ul>${kinds.map(kind => html`<li>${kind.label}: ${counted(kind.count, 'record')}</li>`)}</ul>`,
    losses: lossesOf(apps, loss),
    kept: 'The file that you imported is not touched: you can import it again. Links to these records end.',
  })
}

/** Says the same of all sources that contain only samples. */
export async function showSamplesRemoval(visit: Visit): Promise<Response> {
  const [samples, apps, streams] = await Promise.all([
    readSamples(visit),
    readApps(visit),
    visit.call(listStreams, {}),
  ])
  if (samples.length === 0) return goTo('/sources')
  const rows = samples.map(({ connection_id, display_name }) => ({
    display_name,
    count: kindsOf(streams, connection_id).reduce((sum, kind) => sum + kind.count, 0),
  }))
  const count = rows.reduce((sum, row) => sum + row.count, 0)
  const ids = new Set(samples.map(({ connection_id }) => connection_id))
  const loss = ({ grants }: AppAccess) => {
    const open = new Set(grants.flatMap(connectionsOf)).intersection(ids).size
    return open === 0
      ? null
      : html`<p class="soft">It can read ${open} of these ${counted(ids.size, 'source')}.</p>`
  }
  return removalPage(visit, {
    title: 'Remove the samples?',
    action: SAMPLES_PATH,
    count,
    keep: html`<a class="button" href="/">Keep them</a>`,
    what: html`<p>${counted(count, 'record')} of an invented person will be deleted from Footnote. Your own are not touched.</p>
<ul>${rows.map(row => html`<li>${row.display_name}: ${counted(row.count, 'record')}</li>`)}</ul>`,
    losses: lossesOf(apps, loss),
    kept: html`They do not come back by themselves. <code>${visit.env.spelled('footnote samples import')}</code> imports them again.`,
  })
}

/** Removes every source that contains only samples. */
export async function removeSamples(visit: Visit): Promise<Response> {
  for (const { connection_id } of await readSamples(visit))
    await visit.call(deleteConnection, { connection_id })
  return goToTell('/sources', 'samples-removed')
}

async function readSamples(visit: Visit) {
  const samples = sampleConnections(await readImports(visit.plain))
  const { data } = await visit.call(listConnections, {})
  return data.filter(({ connection_id }) => samples.has(connection_id))
}

/** The part of a grant that is about one source. */
function ofSource(grant: GrantWithTerms, connection_id: string): GrantWithTerms {
  const streams = (grant.grant?.streams ?? [])
    .filter(({ instance_ids }) => instance_ids.includes(connection_id))
    .map(stream => ({ ...stream, instance_ids: [connection_id] }))
  return grant.grant ? { ...grant, grant: { ...grant.grant, streams } } : grant
}

/** The apps that lose something, each with what it can read now. */
function lossesOf(apps: readonly AppAccess[], loss: (app: AppAccess) => Html | null): Html {
  const losing = apps.flatMap(app => {
    const lost = loss(app)
    return lost === null ? [] : [{ name: app.name, lost }]
  })
  if (losing.length === 0) return html`<p>No app can read any of it now.</p>`
  return html`<div class="stack-tight"><h2>${counted(losing.length, 'app')} will lose access</h2><ul class="rows">${losing.map(({ name, lost }) => html`<li class="stack-tight"><strong>${name}</strong>${lost}</li>`)}</ul></div>`
}

interface Removal {
  title: string
  action: string
  count: number
  keep: Html
  what: Html
  losses: Html
  kept: Html | string
}

function removalPage(
  visit: Visit,
  { title, action, count, keep, what, losses, kept }: Removal,
): Promise<Response> {
  const body = html`<form class="card stack" method="post" action="${action}"><h1>${title}</h1>
${what}
${losses}
<p class="soft small">${kept} The ledger keeps what apps were shown.</p>
${hidden({ csrf: visit.csrf, action: 'remove' })}
<div class="actions"><button class="danger" type="submit">Delete ${counted(count, 'record')}</button>${keep}</div></form>`
  return pageResponse({ title: title.slice(0, 80), body, section: 'sources', width: 'narrow' })
}
