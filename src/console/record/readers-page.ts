import { html } from 'hono/html'
import { listDisclosures } from '../../api/owner/ledger.ts'
import { readRecord } from '../../api/records.ts'
import { number } from '../../model/amounts.ts'
import { citationUrl } from '../../model/ids/citation.ts'
import { pageResponse } from '../../pages/layout.ts'
import { humanName, listed } from '../../pages/words.ts'
import { readClients } from '../app-names.ts'
import { orNull, type Visit } from '../visit.ts'

const PAGE = 50
const TITLE_CHARS = 200

/** Who has read a record: each request that showed something of it, with the exact passages. */
export async function showReaders(visit: Visit): Promise<Response> {
  const { connection_id = '', stream = '', record_id = '' } = visit.path
  const place = { connection_id, stream, record_id }
  const record = `${connection_id}/${stream}:${record_id}`
  const query = { record, limit: PAGE, cursor: visit.query.get('from') }
  const [found, clients, { data, next_cursor }] = await Promise.all([
    orNull(visit.call(readRecord, place, { query: { connection_id, max_field_chars: TITLE_CHARS } })),
    readClients(visit),
    visit.call(listDisclosures, {}, { query }),
  ])
  const names = new Map(clients.map(({ client_id, name }) => [client_id, name]))
  const path = citationUrl('', place)
  const title = found?.title ?? `${humanName(stream)} ${record_id}`
  const rows = data.map(({ client_id, disclosure_id, at, shown }) => {
    const own = shown.filter(
      each =>
        each.connection_id === connection_id && each.stream === stream && each.record_ids.includes(record_id),
    )
    const passages = own.flatMap(({ ranges = {} }) =>
      Object.entries(ranges).flatMap(([field, all]) => all.map(([from, to]) => ({ field, from, to }))),
    )
    const fields = [...new Set(own.flatMap(each => each.fields))]
    const request = `/activity/${encodeURIComponent(client_id)}/${encodeURIComponent(disclosure_id)}?${new URLSearchParams({ at })}`
    return html`<li class="stack-tight"><div class="head"><strong>${names.get(client_id) ?? client_id}</strong><a class="count small" href="${request}">${visit.times.at(at)}</a></div>
<p class="soft small">${listed(fields.map(humanName))}</p>
${
  passages.length === 0
    ? ''
    : html`<ul class="plain small">${passages.map(
        ({ field, from, to }) =>
          html`<li><a href="${citationUrl('', place, { field_path: field, start_chars: from, end_chars: to, digest: '' })}">${humanName(field)}, characters ${number(from)}–${number(to)}</a></li>`,
      )}</ul>`
}</li>`
  })
  const body = html`<div class="stack-wide record">
<header class="stack-tight"><p class="small"><a href="${path}">The record</a></p><h1>Who has read this?</h1><p class="lede" dir="auto">${title}</p></header>
${rows.length === 0 ? html`<p class="card soft">No app was shown anything of this record.</p>` : html`<ol class="rows card">${rows}</ol>`}
${next_cursor === undefined ? '' : html`<p><a class="button" href="?${new URLSearchParams({ from: next_cursor }).toString()}">Earlier</a></p>`}</div>`
  return pageResponse({ title: 'Who has read this?', body, signedIn: true })
}
