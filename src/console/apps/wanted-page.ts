import { html } from 'hono/html'
import { addSources } from '../../api/owner/grants.ts'
import { listStreams } from '../../api/streams.ts'
import { counted } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import { hidden, notice } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import { humanName, inSentence } from '../../pages/words.ts'
import { readClients } from '../app-names.ts'
import { goToTell } from '../done.ts'
import { goTo, type Visit } from '../visit.ts'
import { readAppGrants } from './app-access.ts'

/** The page that a refused app sends the owner to: exactly what it wanted, to allow or not. */
export async function showWanted(visit: Visit): Promise<Response> {
  const stream = visit.query.get('stream') ?? ''
  // A link that was cut off: what the app may read is the nearest answer.
  if (stream === '') return goTo(`/apps/${encodeURIComponent(visit.path.client_id ?? '')}`)
  return wantedPage(visit, stream)
}

/** Gives the app access to this stream of this source, and nothing else. */
export async function allowWanted(visit: Visit, form: URLSearchParams): Promise<Response> {
  const { client_id = '' } = visit.path
  const stream = form.get('stream') ?? ''
  try {
    const json = { connections: form.getAll('source'), streams: [stream] }
    await visit.call(addSources, { client_id }, { json })
  } catch (error) {
    if (!(error instanceof CodedError) || error.status >= 500 || error.code === 'client_not_found')
      throw error
    return wantedPage(visit, stream, error)
  }
  return goToTell(`/apps/${encodeURIComponent(client_id)}`, 'access-changed')
}

async function wantedPage(visit: Visit, stream: string, problem?: CodedError): Promise<Response> {
  const { client_id = '' } = visit.path
  const [clients, { data: streams }, { active }] = await Promise.all([
    readClients(visit),
    visit.call(listStreams, {}),
    readAppGrants(visit, client_id),
  ])
  const client = clients.find(each => each.client_id === client_id)
  if (!client) throw new CodedError('not_found', 'There is no such app.')
  const has = active.flatMap(({ grant }) =>
    (grant?.streams ?? []).flatMap(({ name, instance_ids }) => (name === stream ? instance_ids : [])),
  )
  const offered = streams
    .filter(({ name }) => name === stream)
    .flatMap(({ connections }) => connections)
    .filter(({ connection_id }) => !has.includes(connection_id))
  const wanted = streams.find(({ name }) => name === stream)?.label ?? `“${humanName(stream)}”`
  const title = `${client.name} wants to read ${inSentence(wanted)}`
  const path = `/apps/${encodeURIComponent(client_id)}`
  const body = html`<div class="stack-wide">
<header class="stack-tight"><p class="small"><a href="/apps">Apps</a> · <a href="${path}" dir="auto">${client.name}</a></p>
<h1 dir="auto">${title}</h1><p class="lede">${has.length > 0 && offered.length === 0 ? 'It can already read everything you have of this kind.' : 'It asked for this and was refused. It does not know whether you have it.'}</p></header>
${problem ? notice('danger', problem.message) : ''}
${
  offered.length === 0
    ? html`<div class="card stack"><p>${has.length > 0 ? '' : 'You have nothing of this kind. '}Nothing needs to be decided.</p><p><a class="button" href="${path}">What it may read</a></p></div>`
    : html`<ul class="rows card">${offered.map(
        ({
          connection_id,
          display_name,
          record_count,
        }) => html`<li class="head">${described(display_name, record_count)}
<form method="post" action="${path}/wants">${hidden({ csrf: visit.csrf, stream, source: connection_id })}<button class="primary small" type="submit" aria-label="Let it read this: ${inSentence(wanted)} of ${display_name}">Let it read this</button></form></li>`,
      )}</ul><p class="soft small">From its next request, it can read every field of these records. If you did not ask the app for this, do not allow it.</p>
<p><a class="button" href="${path}">Don’t allow</a></p>`
}</div>`
  return pageResponse(
    { title: title.slice(0, 80), body, section: 'apps' },
    { status: problem?.status ?? 200 },
  )
}

function described(name: string, count: number): Html {
  return html`<span>${name} <span class="soft">${counted(count, 'record')}</span></span>`
}
