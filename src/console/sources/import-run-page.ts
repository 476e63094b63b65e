import { html } from 'hono/html'
import { readConnection } from '../../api/owner-catalog.ts'
import { listClients } from '../../api/owner-grants.ts'
import { listRejections, readImport } from '../../api/owner-imports.ts'
import { counted, number } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import { notice } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import type { Visit } from '../visit.ts'
import { rejectionList } from './import-page.ts'
import type { ImportRun } from './overview.ts'

const MOST_REJECTIONS = 100
const REFRESH_S = 2

/** One import: its progress, what it rejected, and who can read the result. */
export async function showImportRun(visit: Visit): Promise<Response> {
  const { connection_id = '', import_id = '' } = visit.path
  const query = { limit: MOST_REJECTIONS, cursor: visit.query.get('from') }
  const [{ display_name }, run, { data, next_cursor }, { data: clients }] = await Promise.all([
    visit.call(readConnection, { connection_id }),
    visit.call(readImport, { import_id }),
    visit.call(listRejections, { import_id }, { query }),
    visit.call(listClients, {}),
  ])
  if (run.connection_id !== connection_id)
    throw new CodedError('import_not_found', 'This source has no such import.')
  const parts = Number(visit.query.get('parts') ?? 1)
  const isRunning = run.state === 'running'
  const body = html`<div class="stack-wide">
<header class="stack-tight"><p class="small"><a href="/sources">Sources</a> · <a href="/sources/${connection_id}">${display_name}</a></p><h1 class="path">Import of ${run.source}</h1>
<p class="lede">${HEADLINES[run.state]} ${visit.times.at(run.changed_at)}</p></header>
${run.state === 'failed' ? notice('warn', 'It stopped before the end. Import the same file again and it resumes.') : ''}
<section class="card" role="status"><p>${counts(run)}</p></section>
${parts > 1 ? html`<p class="soft">This is the first of ${parts} parts. The others follow automatically; see <a href="/sources">Sources</a>.</p>` : ''}
${isRunning ? '' : readers(connection_id, clients)}
${rejectionList(data)}
${next_cursor === undefined ? '' : html`<p><a class="button" href="?${new URLSearchParams({ from: next_cursor }).toString()}">More</a></p>`}
<p class="actions"><a class="button" href="/sources/${connection_id}">See the source</a><a class="button" href="/search?${new URLSearchParams({ source: connection_id }).toString()}">Search it</a></p></div>`
  return pageResponse({
    title: 'Import',
    body,
    section: 'sources',
    refresh: isRunning ? REFRESH_S : undefined,
  })
}

const HEADLINES = {
  running: 'It is running; this page updates itself.',
  finished: 'It is finished.',
  failed: 'It failed.',
} as const

function counts({ seen, added, updated, unchanged, rejected }: ImportRun): string {
  const facts = [
    `${counted(seen, 'item')} read`,
    `${number(added)} added`,
    ...(updated > 0 ? [`${number(updated)} changed`] : []),
    ...(unchanged > 0 ? [`${number(unchanged)} already here`] : []),
    `${number(rejected)} rejected`,
  ]
  return `${facts.join(' · ')}.`
}

function readers(
  connection_id: string,
  clients: readonly { client_id: string; name: string; connection_ids: string[] }[],
): Html {
  const active = clients.filter(({ connection_ids }) => connection_ids.length > 0)
  if (active.length === 0) return html`<p class="soft">No app is connected, so none can read it.</p>`
  return html`<section class="stack"><h2>Who can read it</h2><ul class="rows card">${active.map(
    ({ client_id, name, connection_ids }) =>
      html`<li class="head"><a href="/apps/${encodeURIComponent(client_id)}">${name}</a><span class="count">${connection_ids.includes(connection_id) ? 'can read it' : 'cannot see it'}</span></li>`,
  )}</ul></section>`
}
