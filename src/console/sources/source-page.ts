import { html } from 'hono/html'
import { changeConnection, deleteConnection } from '../../api/owner/catalog.ts'
import { listImports } from '../../api/owner/imports.ts'
import { listByTime } from '../../api/records.ts'
import { counted } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import { hidden, notice } from '../../pages/forms.ts'
import { pageResponse } from '../../pages/layout.ts'
import { doneNotice, goToTell } from '../done.ts'
import { recordsPath } from '../page-paths.ts'
import { recordRow } from '../record-row.ts'
import { orNull, type Visit } from '../visit.ts'
import { runRow } from './import-run-page.ts'
import { isSample, readSource, spanText } from './overview.ts'
import { readersOf } from './readers.ts'
import { SAMPLES_PATH } from './removal-pages.ts'

const RUNS = 20
const NEWEST = 5
const TITLE_CHARS = 200

/** Renames a source, or removes it with everything in it. */
export async function changeSource(visit: Visit, form: URLSearchParams): Promise<Response> {
  const { connection_id = '' } = visit.path
  if (form.get('action') === 'remove') {
    await visit.call(deleteConnection, { connection_id })
    return goToTell('/sources', 'source-removed')
  }
  const display_name = form.get('name')?.trim() ?? ''
  try {
    await visit.call(changeConnection, { connection_id }, { json: { display_name } })
  } catch (error) {
    if (!(error instanceof CodedError) || error.status !== 400) throw error
    return showSource(visit, new CodedError('invalid_request', 'A name must have 1 to 200 characters.'))
  }
  return goToTell(`/sources/${connection_id}`, 'source-renamed')
}

/** One source: its name, what it contains, its imports and what they rejected. */
export async function showSource(visit: Visit, error?: CodedError): Promise<Response> {
  const source = await readSource(visit)
  const { connection_id, name, count, years } = source
  const kinds = source.kinds.filter(kind => kind.count > 0)
  const [kind, ...others] = kinds
  const [{ data: runs }, newest] = await Promise.all([
    visit.call(listImports, {}, { query: { connection_id, limit: RUNS } }),
    orNull(
      visit.call(listByTime, {}, { query: { connection_id, limit: NEWEST, max_field_chars: TITLE_CHARS } }),
    ),
  ])
  const span = spanText(years)
  const hasNewest = newest !== null && newest.data.length > 0
  const body = html`<div class="stack-wide">
<header class="stack-tight"><p class="small"><a href="/sources">Sources</a></p><h1 dir="auto">${name}</h1>
<p class="lede">${counted(count, 'record')}${span === '' ? '' : `, ${span}`}</p></header>
${error ? notice('danger', error.message) : doneNotice(visit)}
${count === 0 ? '' : html`<form class="ask" method="get" action="/search" role="search">${hidden({ source: connection_id })}<input type="search" name="q" aria-label="Words to search for in this source" placeholder="Search this source" maxlength="1000" required><button class="primary" type="submit">Search</button></form>`}
<div class="columns"><div class="stack-wide">
${
  !kind || (others.length === 0 && hasNewest)
    ? ''
    : html`<section class="stack"><h2>What it contains</h2><ul class="rows card">${kinds.map(
        kind =>
          html`<li class="head"><a href="${recordsPath(connection_id, kind.stream)}">${kind.label}</a><span class="amount">${counted(kind.count, 'record')}</span></li>`,
      )}</ul></section>`
}
${hasNewest ? html`<section class="stack"><h2>Newest records</h2><ol class="rows card">${newest.data.map(record => recordRow(record, visit.times))}</ol>${kind && others.length === 0 ? html`<p><a href="${recordsPath(connection_id, kind.stream)}">All ${counted(count, 'record')}</a></p>` : ''}</section>` : ''}
</div><div class="stack-wide">
${await readersOf(visit, connection_id)}
<section class="stack"><h2>Imports</h2>${runs.length === 0 ? html`<p class="card soft">Nothing was imported from a file.</p>` : html`<ol class="rows card">${runs.map(run => runRow(run, visit.times))}</ol>`}</section>
<form class="stack" method="post" action="/sources/${connection_id}"><h2><label for="name">Rename it</label></h2>
${hidden({ csrf: visit.csrf })}
<div class="ask"><input type="text" id="name" name="name" value="${visit.isDemo ? '' : name}" maxlength="200" required><button type="submit">Rename</button></div></form>
<section class="stack-tight"><h2>Remove it</h2><p class="soft">You see what will be removed before anything is.</p>
<p><a class="button danger" href="/sources/${connection_id}/remove">Remove this source</a></p>${isSample(source) ? html`<p><a href="${SAMPLES_PATH}">Remove all samples</a></p>` : ''}</section>
</div></div></div>`
  return pageResponse(
    { title: name.slice(0, 80), body, section: 'sources' },
    { status: error?.status ?? 200 },
  )
}
