import { html } from 'hono/html'
import { listConnections, readConnection } from '../../api/owner/catalog.ts'
import { listImports, listRejections, readImport, removeImport } from '../../api/owner/imports.ts'
import { counted, number } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import { hidden, notice } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { goToTell } from '../done.ts'
import type { Visit } from '../visit.ts'
import { rejectionList } from './import-page.ts'
import type { ImportRun } from './overview.ts'
import { readersOf } from './readers.ts'

const MOST_REJECTIONS = 100
const MOST_PARTS = 100
const REFRESH_S = 2
/** The next part of an upload begins within this time, or not at all. */
const NEXT_PART_MS = 60_000

/** One import: its progress, what it rejected, and who can read the result. */
export async function showImportRun(visit: Visit): Promise<Response> {
  const { connection_id = '', import_id = '' } = visit.path
  const query = { limit: MOST_REJECTIONS, cursor: visit.query.get('from') }
  const [{ run, display_name }, { data, next_cursor }] = await Promise.all([
    find(visit),
    visit.call(listRejections, { import_id }, { query }),
  ])
  const { state } = run
  const isRunning = state === 'running'
  const others = await otherParts(visit, run)
  const body = html`<div class="stack-wide">
<header class="stack-tight"><p class="small"><a href="/sources">Sources</a> · <a href="/sources/${connection_id}">${display_name}</a></p><h1 class="path">Import of ${run.source}</h1>
<p class="lede">${HEADLINES[state]} ${visit.times.at(run.changed_at)}.</p></header>
${state === 'failed' || state === 'interrupted' ? notice('warn', html`It stopped before the end. Import the same file again and it resumes. ${visit.env.imports ? html`<a href="/import">Import it again</a>` : ''}`) : ''}
<section class="card stack" role="status"><p>${[...countsOf(run), `${number(run.rejected)} rejected`].join(' · ')}.</p>
<p class="actions"><a class="button ${isRunning ? '' : 'primary'}" href="/sources/${connection_id}">See the source</a><a class="button" href="/search?${new URLSearchParams({ source: connection_id }).toString()}">Search it</a></p></section>
${others.section}
${isRunning ? '' : await readersOf(visit, connection_id)}
${rejectionList(data)}
${next_cursor === undefined ? '' : html`<p><a class="button" href="?${new URLSearchParams({ from: next_cursor }).toString()}">More</a></p>`}
${isRunning ? '' : html`<p><a class="button danger" href="${pathOf(run)}/remove">Undo this import</a></p>`}</div>`
  return pageResponse({
    title: 'Import',
    body,
    section: 'sources',
    refresh: isRunning || others.isRunning ? REFRESH_S : undefined,
  })
}

/** What the import that began here has made of the other formats and archives of the upload. */
async function otherParts(visit: Visit, run: ImportRun): Promise<{ section: Html | ''; isRunning: boolean }> {
  const expected = Number(visit.query.get('parts') ?? 1) - 1
  const isEnded = run.state === 'failed' || run.state === 'interrupted'
  if (!(expected > 0) || isEnded) return { section: '', isRunning: false }
  const [{ data: newest }, { data: connections }] = await Promise.all([
    visit.call(listImports, {}, { query: { limit: MOST_PARTS } }),
    visit.call(listConnections, {}),
  ])
  const names = new Map(connections.map(each => [each.connection_id, each.display_name]))
  const index = newest.findIndex(({ import_id }) => import_id === run.import_id)
  const begun = newest.slice(0, Math.max(index, 0)).toReversed().slice(0, expected)
  const isAwaited =
    begun.length < expected &&
    visit.now.getTime() - Date.parse((begun.at(-1) ?? run).changed_at) < NEXT_PART_MS
  const section = html`<section class="stack"><h2>${counted(expected, 'other part')}</h2>${
    begun.length === 0
      ? html`<p class="card soft">${expected === 1 ? 'It follows' : 'They follow'} when this one has finished.</p>`
      : html`<ol class="rows card">${begun.map(part => runRow(part, visit.times, names.get(part.connection_id)))}</ol>`
  }</section>`
  return { section, isRunning: isAwaited || begun.some(({ state }) => state === 'running') }
}

/** An import in a list. */
export function runRow(run: ImportRun, times: Times, title = run.source): Html {
  const { state, changed_at, rejected } = run
  return html`<li class="stack-tight"><div class="head"><strong class="path">${title}</strong><span class="count small">${times.at(changed_at)}</span></div>
<p class="soft small">${state} · ${countsOf(run).join(' · ')}${
    rejected > 0 ? html` · <span class="warning">${counted(rejected, 'item')} rejected</span>` : ''
  } · <a href="${pathOf(run)}">Details</a></p></li>`
}

async function find(visit: Visit): Promise<{ run: ImportRun; display_name: string }> {
  const { connection_id = '', import_id = '' } = visit.path
  const [{ display_name }, run] = await Promise.all([
    visit.call(readConnection, { connection_id }),
    visit.call(readImport, { import_id }),
  ])
  if (run.connection_id === connection_id) return { run, display_name }
  throw new CodedError('import_not_found', 'This source has no such import.')
}

function pathOf({ connection_id, import_id }: ImportRun): string {
  return `/sources/${connection_id}/imports/${import_id}`
}

/** Says what is removed together with an import before it is removed. */
export async function showImportRemoval(visit: Visit): Promise<Response> {
  const { run, display_name } = await find(visit)
  const body = html`<form class="card stack" method="post" action="${pathOf(run)}"><h1>Undo this import?</h1>
<p>The records that only <strong class="path">${run.source}</strong> brought into ${display_name} will be deleted, at most ${number(run.added)}. Records that another import brought too stay.</p>
<p class="soft small">The file that you imported is not touched: you can import it again. If the source is empty then, you can remove it.</p>
${hidden({ csrf: visit.csrf })}
<div class="actions"><button class="danger" type="submit">Delete its records</button><a class="button" href="${pathOf(run)}">Keep it</a></div></form>`
  return pageResponse({ title: 'Undo an import', body, section: 'sources', width: 'narrow' })
}

export async function undoImport(visit: Visit): Promise<Response> {
  const { run } = await find(visit)
  await visit.call(removeImport, { import_id: run.import_id })
  return goToTell(`/sources/${run.connection_id}`, 'import-undone')
}

const HEADLINES = {
  running: 'It is running, also if you leave this page, which updates itself. Last progress:',
  finished: 'It finished on',
  failed: 'It failed on',
  interrupted: 'It was interrupted on',
} as const

function countsOf({ seen, added, updated, unchanged }: ImportRun): string[] {
  return [
    `${counted(seen, 'item')} read`,
    `${number(added)} added`,
    ...(updated > 0 ? [`${number(updated)} changed`] : []),
    ...(unchanged > 0 ? [`${number(unchanged)} already here`] : []),
  ]
}
