import { html } from 'hono/html'
import { readConnection } from '../../api/owner/catalog.ts'
import { listRecords, type RecordBody } from '../../api/records.ts'
import { listStreams } from '../../api/streams.ts'
import { counted } from '../../model/amounts.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import { recordsPath } from '../page-paths.ts'
import { recordRow } from '../record-row.ts'
import type { Visit } from '../visit.ts'
import { type Kind, kindsOf } from './overview.ts'

const PAGE = 50
const TITLE_CHARS = 200
const MOST_TABS = 6

/** The records of one kind in a source, newest first. */
export async function showSourceRecords(visit: Visit): Promise<Response> {
  const { connection_id = '' } = visit.path
  const [{ display_name }, streams] = await Promise.all([
    visit.call(readConnection, { connection_id }),
    visit.call(listStreams, {}),
  ])
  const kinds = kindsOf(streams, connection_id)
  const kind = kinds.find(({ stream }) => stream === visit.query.get('kind')) ?? kinds[0]
  const body = html`<div class="stack-wide">
<header class="stack-tight"><p class="small"><a href="/sources">Sources</a> · <a href="/sources/${connection_id}">${display_name}</a></p><h1>${kind?.label ?? 'Records'}</h1>
<p class="lede">${counted(kind?.count ?? 0, 'record')}</p></header>
${kindTabs(connection_id, kinds, kind)}
${kind === undefined ? nothing() : await rows(visit, connection_id, kind.stream)}</div>`
  return pageResponse({ title: display_name.slice(0, 80), body, section: 'sources' })
}

/** Links to the records of each kind. Many of them, such as the tables of a folder, would hide the records. */
function kindTabs(connection_id: string, kinds: readonly Kind[], current: Kind | undefined): Html | '' {
  if (kinds.length < 2) return ''
  const tabs = html`<nav class="tabs" aria-label="Which kind">${kinds.map(
    ({ stream, label }) =>
      html`<a href="${recordsPath(connection_id, stream)}" ${stream === current?.stream ? html`aria-current="true"` : ''}>${label}</a>`,
  )}</nav>`
  if (kinds.length <= MOST_TABS) return tabs
  return html`<details><summary>All ${counted(kinds.length, 'kind')} of records</summary>${tabs}</details>`
}

async function rows(visit: Visit, connection_id: string, stream: string): Promise<Html> {
  const query = { connection_id, limit: PAGE, cursor: visit.query.get('from'), max_field_chars: TITLE_CHARS }
  const { data, next_cursor } = await visit.call(listRecords, { stream }, { query })
  const records = data.filter((each): each is RecordBody => !('deleted' in each))
  if (records.length === 0) return nothing()
  return html`<ol class="rows card">${records.map(record => recordRow(record, visit.times))}</ol>
${pager(recordsPath(connection_id, stream), visit.query.has('from'), next_cursor && recordsPath(connection_id, stream, next_cursor))}`
}

function pager(newest: string, isLater: boolean, earlier: string | undefined): Html | '' {
  if (!isLater && earlier === undefined) return ''
  return html`<nav class="actions" aria-label="Pages">${isLater ? html`<a class="button" href="${newest}">Newest</a>` : ''}${earlier ? html`<a class="button" href="${earlier}">Earlier</a>` : ''}</nav>`
}

function nothing(): Html {
  return html`<p class="card soft">There are no records here.</p>`
}
